/** Longer than this a view does not wait for its letters: what it says matters more. */
const PATIENCE_MS = 1_000;

/** A view with what is read at length begins in its own letters: a later change of letters would move its lines. */
export async function withReadingFont<View>(view: Promise<View>): Promise<View> {
  const loaded = document.fonts.load('1em "Source Serif 4 Variable"').catch(() => []);
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  const [shown] = await Promise.all([view, Promise.race([loaded, late])]);
  return shown;
}
