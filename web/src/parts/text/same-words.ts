const strip = (text: string) =>
  text
    .trim()
    .replace(/[.?!]+$/, "")
    .toLowerCase();

/** Whether two texts say the same but for their case and how they end, as a question and a title made of it. */
export const isSameText = (one: string, other: string) => strip(one) === strip(other);
