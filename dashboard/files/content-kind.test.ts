import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf, textOf, titleOf } from './content-kind.ts'

test('content is recognised by its first bytes, not by its name', () => {
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
  assert.deepEqual(kindOf(png, 'page.html'), {
    kind: 'image',
    type: 'image/png',
    title: 'PNG image',
  })
  assert.equal(kindOf(Buffer.from('RIFF1234WEBPVP8 '), '').title, 'WebP image')
  const typeOf = (text: string) => {
    const kind = kindOf(Buffer.from(text, 'latin1'), 'a.html')
    return 'type' in kind ? kind.type : kind.title
  }
  assert.deepEqual(
    [
      '%PDF-1.7',
      '\0\0\0 ftypisom',
      '\0\0\0 ftypM4A ',
      '\x1aE\xdf\xa3',
      'RIFF1234WAVE',
      'OggS\0',
      'PK\x03\x04',
    ].map(typeOf),
    [
      'application/pdf',
      'video/mp4',
      'audio/mp4',
      'video/webm',
      'audio/wav',
      'audio/ogg',
      'ZIP archive',
    ],
  )
  assert.deepEqual(kindOf(Buffer.from('<!doctype html><p>%PDF-'), 'a.pdf'), {
    kind: 'text',
    title: 'PDF document',
  })
  assert.deepEqual(kindOf(Buffer.from('{"a": 1}'), 'a'), { kind: 'text', title: 'JSON' })
  assert.equal(kindOf(Buffer.from('<svg xmlns="x"></svg>'), '').kind, 'image')
  assert.deepEqual(kindOf(Buffer.from('a\n'), 'a.md'), { kind: 'text', title: 'Markdown' })
  assert.deepEqual(kindOf(Buffer.from([0, 1, 2, 255]), 'x.car'), {
    kind: 'other',
    title: 'CAR archive',
  })
})

test('text may end within a character, and contains no control characters', () => {
  const bytes = Buffer.from('stone ✓')
  assert.equal(textOf(bytes.subarray(0, -1)), 'stone ')
  assert.equal(textOf(Buffer.from([65, 0])), null)
  assert.equal(textOf(Buffer.from([0xff, 0xfe, 0xfd, 0xfc, 0xfb])), null)
  assert.equal(titleOf('hero.WEBP'), 'Image')
})
