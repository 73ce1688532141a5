/** Types of the untyped package and of the parts of Node that `vite.config.ts` uses. */
declare module "subset-font" {
  interface Options {
    keepAllGlyphs: true;
    variationAxes: Record<string, { min: number; max: number }>;
  }
  export default function subsetFont(font: Uint8Array, text: undefined, options: Options): Promise<Uint8Array>;
}

declare const Buffer: { from: (bytes: string | Uint8Array) => Uint8Array };
