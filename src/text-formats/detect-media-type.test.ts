import { expect, test } from 'vitest'
import { mediaTypeOf } from './detect-media-type.ts'

const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
const zip = Buffer.from('504b030414000600', 'hex')

test.each([
  [png, 'photo.png', 'image/png'],
  [png, 'invoice.pdf', 'image/png'],
  [Buffer.from('%PDF-1.7\n'), 'page.html', 'application/pdf'],
  [zip, 'a.zip', 'application/zip'],
  [zip, 'Report.DOCX', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  [zip, 'trick.html', 'application/zip'],
  [Buffer.from('a,b\n1,2\n'), 'a.csv', 'text/csv'],
  [Buffer.from('Привет'), 'a', 'text/plain'],
  [Buffer.from('Привет').subarray(0, 5), 'a.txt', 'text/plain'],
  [Buffer.from('<script>'), 'a.png', 'text/plain'],
  [Buffer.from([0, 1, 2, 3]), 'a.txt', 'application/octet-stream'],
  [Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'a', 'image/webp'],
  [Buffer.from('\0\0\0\x18ftypmp42'), 'a.mov', 'video/mp4'],
  [Buffer.alloc(0), 'empty', 'text/plain'],
  [Buffer.from('BMW and MZ are names'), 'a.txt', 'text/plain'],
  [Buffer.from('SQLite format 3\0'), 'a.db', 'application/vnd.sqlite3'],
])('%#: %s', (head, name, type) => {
  expect(mediaTypeOf(head, name)).toBe(type)
})
