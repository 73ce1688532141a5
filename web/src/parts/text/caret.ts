/** Put the caret behind the words that a box begins with, where one goes on writing. */
export function putCaretAtEnd(box: HTMLTextAreaElement | null) {
  box?.setSelectionRange(box.value.length, box.value.length);
}
