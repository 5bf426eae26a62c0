/** Text that people wrote, such as a name, to stand within the dashboard's own words. */

/** Controls of the direction of text. Left open, they turn the words behind them around; nothing that is shown needs them. */
const controls = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const firstStrongIsolate = '\u2068';
const popIsolate = '\u2069';

/**
 * Removes controls of direction, and isolates text that is read from right to left. Words around it keep their places. Other text is
 * returned as it is.
 */
export function said(text: string): string {
  const plain = text.replaceAll(controls, '');
  return rightToLeft.test(plain) ? `${firstStrongIsolate}${plain}${popIsolate}` : plain;
}

/** What stands for a name in a small square: its first character as people count them, which an emoji of several code points is, too. */
export function initialOf(name: string): string {
  const [first] = new Intl.Segmenter('en').segment(name.replaceAll(controls, '').trim());
  return first?.segment.toUpperCase() ?? '?';
}
