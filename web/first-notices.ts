import type { Plugin } from "vite";

/** Notices that the first view says: whose answers recorded ones are, and the names of presets, which the gateway gives in English. */
const FIRST = { en: /^recorded$/, de: /^(recorded$|preset-)/ };

/** Leave of a catalogue that is imported with `?first` the notices of the first view alone. */
export const firstNotices: Plugin = {
  name: "first-notices",
  enforce: "pre",
  transform(text, id) {
    const language = /(en|de)\.json\?first$/.exec(id)?.[1] as keyof typeof FIRST | undefined;
    if (!language) return null;
    const all = Object.entries(JSON.parse(text) as Record<string, string>);
    return `export default ${JSON.stringify(Object.fromEntries(all.filter(([code]) => FIRST[language].test(code))))}`;
  },
};
