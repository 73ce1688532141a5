const TOKENS = /"((?:[^"\\]|\\.)*)"?|[{}[\],:]/gs;

/** Return what an answer says so far, while it streams: of JSON its texts, without their names and what holds them together. */
export function readSentences(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text;
  const said: string[] = [];
  const around: string[] = [];
  let isName = false;
  for (const [token, words] of text.matchAll(TOKENS)) {
    if (words !== undefined) {
      if (!isName) said.push(unescape(words));
      continue;
    }
    if (token === "{" || token === "[") around.push(token);
    if (token === "}" || token === "]") around.pop();
    isName = token !== ":" && around.at(-1) === "{";
  }
  return said.filter(Boolean).join(" ");
}

/** Read a text of JSON that may break off within a sign. */
function unescape(words: string): string {
  try {
    return String(JSON.parse(`"${words.replace(/\\u[\da-f]{0,3}$/i, "")}"`)).replaceAll("\n", " ");
  } catch {
    return words;
  }
}
