/** Texts without what a reader doesn't see and a model does: a note may hide instructions in such characters. */

/**
 * An emoji, which may be made of several characters that aren't seen by themselves; else a character without a picture: tags, bidi
 * controls, zero-width ones, variation selectors, fillers, controls.
 */
const EMOJI_OR_UNSEEN =
  /(?<emoji>\p{RGI_Emoji})|[\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]|[\p{Cc}--[\n\t]]/gv;

export function visibleText(text: string): string {
  return text.replace(EMOJI_OR_UNSEEN, '$<emoji>');
}
