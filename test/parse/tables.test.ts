/** Rows of HTML pages and workbooks. */
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { storedSheets } from '../../src/parse/workbook.ts';
import { htmlRows } from '../../src/parse/xml.ts';

test('a page gives its visible cells, with their lines', () => {
  const page = `<table>
<tr><th>A<td>1 434.86
<tr><td><b>x</b>&nbsp;&amp;
 y</td><td class="small hidden">no</td><td></td></tr></table><p>not in a table</p><table><tr></tr></table>`;
  expect(htmlRows(page)).toEqual([
    { line: 2, cells: ['A', '1 434.86'] },
    { line: 3, cells: ['x & y', ''] },
    { line: 4, cells: [] },
  ]);
});

const sheet = (rows: string, shared = '') =>
  Buffer.from(
    zipSync({
      'xl/worksheets/sheet1.xml': strToU8(
        `<x:worksheet xmlns:x="x"><x:sheetData>${rows}</x:sheetData></x:worksheet>`,
      ),
      'xl/sharedStrings.xml': strToU8(`<sst>${shared}</sst>`),
    }),
  );

describe('a workbook', () => {
  test('gives texts in parts, inline texts and numbers without noise, each in its column', () => {
    const rows =
      '<x:row r="3"><x:c r="B3" t="s"><x:v>0</x:v></x:c><x:c r="D3"><x:v>1.5505500000000001</x:v></x:c></x:row>' +
      '<x:row><x:c t="inlineStr"><x:is><x:t>a &lt; b</x:t></x:is></x:c><x:c t="str"><x:v>c</x:v></x:c><x:c s="1"/></x:row>';
    expect(
      storedSheets(sheet(rows, '<si><r><t>one </t></r><r><t>text</t></r></si>'))[0],
    ).toEqual([
      { line: 3, cells: ['', 'one text', '', '1.55055'] },
      { line: 4, cells: ['a < b', 'c', ''] },
    ]);
  });

  test('is rejected if it states an unpacked size above 100 MB', () => {
    const bytes = sheet('');
    // The sheet's size in the list at the archive's end.
    bytes.writeUInt32LE(300_000_000, bytes.indexOf('PK\u0001\u0002') + 24);
    expect(() => storedSheets(bytes)).toThrow('unpacks to more than 100 MB');
  });
});
