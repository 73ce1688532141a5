/** How long the address of a fetched file stays valid. */
export const LIVES_MS = 60_000;

/** Have the browser keep a file that the page has fetched. */
export function saveFile(file: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), LIVES_MS);
}
