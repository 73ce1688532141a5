/** What `vite.config.ts` asks of the package, which has no types of its own, and of Node, whose types nothing else needs. */
declare module "subset-font" {
  interface Options {
    keepAllGlyphs: true;
    variationAxes: Record<string, { min: number; max: number }>;
  }
  export default function subsetFont(font: Uint8Array, text: undefined, options: Options): Promise<Uint8Array>;
}

declare const Buffer: { from: (bytes: string | Uint8Array) => Uint8Array };
