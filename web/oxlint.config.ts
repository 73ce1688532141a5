import { defineConfig, type OxlintOverride } from "oxlint";

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
  level.map((folder): OxlintOverride => {
    const others = LEVELS.slice(n)
      .flat()
      .filter((other) => other !== folder);
    const regex = `^(\\.\\./)+(${others.join("|")})/`;
    const message = `\`${folder}\` knows only the folders of lower levels (LEVELS in oxlint.config.ts).`;
    return {
      files: [`src/${folder}/**`],
      rules: { "no-restricted-imports": ["error", { patterns: [{ regex, message }] }] },
    };
  }),
);

/**
 * Rules beyond those of the category "correctness": what typescript-eslint calls strict and type-checked, and React's.
 *
 * Two are left out. `no-non-null-assertion`: an index that was just checked is known to hold, which the compiler cannot
 * see. `no-unnecessary-condition`: the gateway may be newer or older than the page, so a value of the wire is checked
 * although its type forbids it.
 */
const STRICT = [
  "no-array-constructor",
  "no-useless-constructor",
  "no-var",
  "prefer-const",
  "prefer-rest-params",
  "prefer-spread",
  "react/rules-of-hooks",
  "react/unsupported-syntax",
  "typescript/ban-ts-comment",
  // A method of an interface would be bound to its object: what is passed on by itself is a property.
  "typescript/method-signature-style",
  "typescript/no-deprecated",
  "typescript/no-dynamic-delete",
  "typescript/no-empty-object-type",
  "typescript/no-explicit-any",
  "typescript/no-extraneous-class",
  "typescript/no-generated-empty-object-type",
  "typescript/no-invalid-void-type",
  "typescript/no-misused-promises",
  "typescript/no-mixed-enums",
  "typescript/no-namespace",
  "typescript/no-non-null-asserted-nullish-coalescing",
  "typescript/no-require-imports",
  "typescript/no-unnecessary-boolean-literal-compare",
  "typescript/no-unnecessary-template-expression",
  "typescript/no-unnecessary-type-arguments",
  "typescript/no-unnecessary-type-assertion",
  "typescript/no-unnecessary-type-constraint",
  "typescript/no-unnecessary-type-conversion",
  "typescript/no-unnecessary-type-parameters",
  "typescript/no-unsafe-argument",
  "typescript/no-unsafe-assignment",
  "typescript/no-unsafe-call",
  "typescript/no-unsafe-enum-assignment",
  "typescript/no-unsafe-enum-comparison",
  "typescript/no-unsafe-function-type",
  "typescript/no-unsafe-member-access",
  "typescript/no-unsafe-return",
  "typescript/only-throw-error",
  "typescript/prefer-literal-enum-member",
  "typescript/prefer-promise-reject-errors",
  "typescript/prefer-reduce-type-parameter",
  "typescript/prefer-return-this-type",
  "typescript/related-getter-setter-pairs",
  "typescript/require-await",
  "typescript/restrict-plus-operands",
  "typescript/return-await",
  "typescript/unified-signatures",
  "typescript/use-unknown-in-catch-callback-variable",
];

export default defineConfig({
  plugins: ["eslint", "typescript", "react"],
  categories: { correctness: "error" },
  options: { typeAware: true, typeCheck: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["dist", "dist.new", "src/api/schema.ts"],
  rules: {
    ...Object.fromEntries(STRICT.map((rule) => [rule, "error"])),
    // Forms and logs show values of any schema as text.
    "typescript/no-base-to-string": "off",
    "typescript/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
    "typescript/no-useless-default-assignment": "off",
    // `Items` gives each element of a list its key.
    "react/jsx-key": "off",
    // A view that could not be drawn is tried again at another address.
    "react/no-did-update-set-state": "off",
    "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    // It reports what React's compiler, which does not run here, leaves out.
    "react/incompatible-library": "off",
  },
  overrides: arrows,
});
