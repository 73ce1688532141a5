import react from "@vitejs/plugin-react";
import subsetFont from "subset-font";
import { defineConfig, type Plugin } from "vite";

import { firstNotices } from "./first-notices.ts";

/** The weights that `style/tokens.css` names; the packages' fonts hold 100 to 900, half as many bytes again. */
const WEIGHTS = { min: 400, max: 600 };

/** Cut the variable fonts to the weights of the page; every glyph and feature stays. */
const narrowFonts: Plugin = {
  name: "narrow-fonts",
  apply: "build",
  async generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== "asset" || !file.fileName.endsWith(".woff2")) continue;
      file.source = await subsetFont(Buffer.from(file.source), undefined, {
        keepAllGlyphs: true,
        variationAxes: { wght: WEIGHTS },
      });
    }
  },
};

export default defineConfig({
  plugins: [firstNotices, react(), narrowFonts],
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // the page's policy loads nothing from data:
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 300,
    license: { fileName: "licences.md" }, // what is bundled may be handed on with its licence alone
    rolldownOptions: {
      output: {
        // A hash is of the package's font: the name says which weights were cut out of it.
        assetFileNames: ({ names }) =>
          `assets/[name]${names[0]?.endsWith(".woff2") ? `-${WEIGHTS.min}-${WEIGHTS.max}` : ""}-[hash][extname]`,
      },
    },
  },
  server: { proxy: { "/v1": "http://127.0.0.1:8460", "/readyz": "http://127.0.0.1:8460" } },
});
