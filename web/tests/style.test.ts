import { expect, test } from "vitest";

const read = (files: Record<string, unknown>) =>
  Object.entries(files).map(([path, text]) => ({ path: path.replace("../src/", ""), text: String(text) }));

const VIEWS = read(import.meta.glob("../src/**/*.tsx", { query: "?raw", import: "default", eager: true }));
const SHEETS = read(import.meta.glob("../src/**/*.css", { query: "?raw", import: "default", eager: true })).map(
  ({ path, text }) => ({ path, text: text.replace(/\/\*.*?\*\//gs, "") }),
);
/** What finds elements by their class: tests in the browser, and the page itself. */
const SEEKERS = [
  ...VIEWS,
  ...read(import.meta.glob("../../tests/page/**/*.py", { query: "?raw", import: "default", eager: true })),
];
const TOKENS = "style/tokens.css";

/** The width of a breakpoint, which cannot be a token. */
const BREAKPOINT = /\((?:min|max)-width: (?:40|56|70)rem\)/g;
const RAW = [
  /-?[\d.]+(?:rem|px|pt|ch|ex|cm|mm|in)\b/g, // a length
  /#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch|light-dark)\(/g, // a colour
  /font-weight: \d+/g,
  /(?:font-size|line-height): [\d.]/g,
  /--[sclrtw]\d\b(?=:)/g, // a token of its own
];
/** The breadth of a line, an outline, and what is moved by as much. */
const LINE = /^-?[123]px$/;

test("only the tokens name lengths, weights and colours", () => {
  const found = SHEETS.filter(({ path }) => path !== TOKENS).flatMap(({ path, text }) =>
    RAW.flatMap((raw) => text.replace(BREAKPOINT, "").match(raw) ?? [])
      .filter((value) => !LINE.test(value))
      .map((value) => `${path}: ${value}`),
  );
  expect(found).toEqual([]);
});

/** The classes that stylesheets style, each with the sheets that do. */
const styled = new Map<string, Set<string>>();
for (const { path, text } of SHEETS) {
  for (const [, selector = ""] of text.matchAll(/([^{};]+)\{/g)) {
    if (selector.trim().startsWith("@")) continue;
    for (const [, name = ""] of selector.matchAll(/\.([a-zA-Z][\w-]*)/g)) {
      styled.set(name, (styled.get(name) ?? new Set()).add(path));
    }
  }
}

/** The class names in the `className` of elements; in braces, the string literals count. */
function listUsed(text: string): string[] {
  const plain = [...text.matchAll(/className="([^"]*)"/g)].map(([, names = ""]) => names);
  const coded = [...text.matchAll(/className=\{([^}]*(?:\{[^}]*\}[^}]*)*)\}/g)].flatMap(([, code = ""]) =>
    [...code.matchAll(/(?:\? |: |^)"([^"]+)"|`([^`]*)`/g)].map(([, one, other]) => one ?? other ?? ""),
  );
  return [...plain, ...coded].flatMap((names) => names.replace(/\$\{[^}]*\}/g, "").split(/\s+/)).filter(Boolean);
}

const used = new Set(VIEWS.flatMap(({ text }) => listUsed(text)));

test("a class is styled or looked for, and no style is without its class", () => {
  const isLookedFor = (name: string) => SEEKERS.some(({ text }) => text.includes(`.${name}`));
  expect([...used].filter((name) => !styled.has(name) && !isLookedFor(name))).toEqual([]);
  expect([...styled.keys()].filter((name) => !used.has(name))).toEqual([]);
});

test("a class has its home in one stylesheet; only those of all views are adapted elsewhere", () => {
  const shared = (sheets: Set<string>) => [...sheets].some((path) => path.startsWith("style/"));
  const several = [...styled].filter(([, sheets]) => sheets.size > 1 && !shared(sheets));
  expect(several.map(([name, sheets]) => `${name}: ${[...sheets].join(", ")}`)).toEqual([]);
});

test("names of classes are words with hyphens", () => {
  expect([...styled.keys()].filter((name) => !/^[a-z]+(?:-[a-z]+)*$/.test(name))).toEqual([]);
});
