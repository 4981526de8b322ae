import { expect, test } from 'vitest'
import { readBytes } from './read-bytes.ts'

/** A contract without the numbers in groups `listtext`, which word processors write for old readers. */
const contract = String.raw`{\rtf1\ansi
{\*\listtable{\list\listtemplateid1
{\listlevel\levelnfc0\levelnfcn0\leveljc0\levelstartat4{\leveltext\leveltemplateid7\'09Clause \'00.;}{\levelnumbers\'08;}}
{\listlevel\levelnfc0\levelstartat1{\leveltext\'03\'00.\'01;}{\levelnumbers\'01\'03;}}
{\listlevel\levelnfc2\levelstartat1{\leveltext\'03(\'02);}{\levelnumbers\'02;}}
{\listname ;}\listid77}
{\list{\listlevel\levelnfc23\levelstartat1{\leveltext\'01\u8226 ?;}{\levelnumbers;}}\listid78}}
{\*\listoverridetable{\listoverride\listid77\listoverridecount0\ls1}{\listoverride\listid78\listoverridecount0\ls2}
{\listoverride\listid77\listoverridecount1{\lfolevel\listoverridestartat\levelstartat9}\ls3}}
\pard\ls1\ilvl0 Payment\par\pard\ls1\ilvl1 Price\par\pard\ls1\ilvl1 Due dates\par
\pard\ls1\ilvl2 by card\page and cheque\par\pard\ls1\ilvl2 in cash\par\pard\ls2\ilvl0 a point\par\pard Plain\par
\trowd\pard\intbl\ls1\ilvl0 Delivery\par Place\cell\pard\intbl Berlin\cell\row
\pard\ls3\ilvl0 Law\par}`

test('lists of an RTF document are counted where the file does not say their numbers (issue 11, 1.4)', async () => {
  const { blocks } = (await readBytes(contract)) as { blocks: unknown }
  expect(blocks).toEqual([
    'list-item Clause 4. Payment',
    'list-item 4.1 Price',
    'list-item 4.2 Due dates',
    'list-item (i) by card',
    'list-item and cheque',
    'list-item (ii) in cash',
    'list-item a point',
    'paragraph Plain',
    expect.stringMatching(/^table-row Clause 5\. Delivery Clause 6\. Place\s.*Berlin$/),
    'list-item Clause 9. Law',
  ])
})
