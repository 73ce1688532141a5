/** Return a name of the gateway as words. */
export function humanize(name: string): string {
  const words = name.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
