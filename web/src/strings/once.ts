/** Make a thing when it is first needed: a browser's first date format takes 15 ms, in which no view is shown. */
export function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
