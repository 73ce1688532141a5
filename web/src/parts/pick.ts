/** Return an item of a list that is there; counted from its end below 0. */
export function pick<Item>(items: ArrayLike<Item>, index: number): Item {
  const found = items[index < 0 ? items.length + index : index];
  if (found === undefined) throw new RangeError(`no item ${index} of ${items.length}`);
  return found;
}
