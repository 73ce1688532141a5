import hooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import typescript from "typescript-eslint";

/** The folders of `src` from the ground up: each knows itself and those of the levels below its own. */
const LEVELS = [
  ["api"],
  ["strings"],
  ["parts"],
  ["frame", "session", "run-state"],
  ["read"],
  ["approve", "ask", "clarify", "collections", "compare", "compose", "history", "schedules", "settings", "watch"],
  ["run"],
  ["inbox", "shared"],
];

const arrows = LEVELS.flatMap((level, n) =>
  level.map((folder) => {
    const others = LEVELS.slice(n)
      .flat()
      .filter((other) => other !== folder);
    const regex = `^(\\.\\./)+(${others.join("|")})/`;
    const message = `\`${folder}\` knows only the folders of lower levels (LEVELS in eslint.config.js).`;
    return {
      files: [`src/${folder}/**`],
      rules: { "no-restricted-imports": ["error", { patterns: [{ regex, message }] }] },
    };
  }),
);

export default defineConfig(
  globalIgnores(["dist", "dist.new", "src/api/schema.ts"]),
  typescript.configs.strictTypeChecked,
  hooks.configs.flat["recommended-latest"],
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      // An index that was just checked is known to hold; the compiler cannot see it.
      "@typescript-eslint/no-non-null-assertion": "off",
      // The gateway may be newer or older than the page: a value of the wire is checked although its type forbids it.
      "@typescript-eslint/no-unnecessary-condition": "off",
      "@typescript-eslint/no-useless-default-assignment": "off",
      // Forms and logs show values of any schema as text.
      "@typescript-eslint/no-base-to-string": "off",
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // A method of an interface would be bound to its object: what is passed on by itself is a property.
      "@typescript-eslint/method-signature-style": "error",
      // It reports what React's compiler, which does not run here, leaves out.
      "react-hooks/incompatible-library": "off",
    },
  },
  ...arrows,
  { files: ["**/*.js"], extends: [typescript.configs.disableTypeChecked] },
);
