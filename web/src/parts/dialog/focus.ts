/** Return what has the focus, to give it back later. */
export const focused = () => (document.activeElement instanceof HTMLElement ? document.activeElement : null);
