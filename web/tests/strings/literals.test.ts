import ts from "typescript";
import { expect, test } from "vitest";

import { en } from "../../src/strings/en";
import { views } from "../../src/strings/en-views";

const VIEWS = import.meta.glob<string>("../../src/**/*.tsx", { query: "?raw", import: "default", eager: true });
const KEYS = { ...en, ...views };
/** Attributes that a browser shows or reads out. */
const TOLD = /^(title|alt|placeholder|label|aria-(label|description|placeholder|roledescription|valuetext))$/;
const WORD = /\p{L}{2,}/u;

/** Yield the possible literal values of an expression, including branches and templates. */
function* listTexts(node: ts.Node): Generator<string> {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) yield node.text;
  else if (ts.isTemplateExpression(node)) {
    for (const { text } of [node.head, ...node.templateSpans.map(({ literal }) => literal)]) yield text;
  } else if (ts.isConditionalExpression(node)) {
    yield* listTexts(node.whenTrue);
    yield* listTexts(node.whenFalse);
  } else if (ts.isBinaryExpression(node)) {
    if (node.operatorToken.kind !== ts.SyntaxKind.AmpersandAmpersandToken) yield* listTexts(node.left);
    yield* listTexts(node.right);
  } else if (ts.isParenthesizedExpression(node)) yield* listTexts(node.expression);
  else if (ts.isJsxExpression(node) && node.expression) yield* listTexts(node.expression);
}

/** Yield an element's visible text: its own text, and readable attributes. */
function* listShown(node: ts.Node): Generator<string> {
  if (ts.isJsxAttribute(node)) {
    if (TOLD.test(node.name.getText()) && node.initializer) yield* listTexts(node.initializer);
  } else if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
    for (const child of node.children) yield* listTexts(child);
  }
  for (const child of node.getChildren()) yield* listShown(child);
}

const findLiterals = (path: string, text: string) => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  return [...listShown(source)].filter((shown) => WORD.test(shown) && !(shown.trim() in KEYS));
};

test("what elements show is found in text, attributes and choices", () => {
  const view = `<p title="One two" lang="de" aria-label={is ? "Three" : t("app.name")}>Four {is && "five"} {\`six \${n}\`}</p>`;
  const found = findLiterals("view.tsx", view).map((shown) => shown.trim());
  expect(found.toSorted()).toEqual(["Four", "One two", "Three", "five", "six"]);
});

test("every word that a view shows comes from the catalogue", () => {
  const found = Object.entries(VIEWS).flatMap(([path, text]) =>
    findLiterals(path, text).map((shown) => `${path}: ${shown.trim()}`),
  );
  expect(found).toEqual([]);
});
