// Promises of the multipart reader: byte-exact for any division of the stream, the forms of all clients, all limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { Fault } from '../base/fault.ts'
import type { UploadEntry, FileContent } from '../ipfs/import/upload-entry.ts'
import { type RequestBodyStream, requestBodyStream } from '../http/request-body-stream.ts'
import { findBoundary, multipartLimits, readParts } from './multipart.ts'
import { uploadEntries } from './upload-body.ts'

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[turn % sizes.length] as number)
    yield bytes.subarray(at, at + size)
    at += size
  }
}

type Read = { entry: Omit<UploadEntry, 'content'>; bytes: Buffer }

/** The ways to read a content: pulled, pushed, and pushed to a consumer that delays each piece. */
type Way = 'pulled' | 'pushed' | 'waiting'

async function gather(content: FileContent, way: Way): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  if (way === 'pulled') for await (const chunk of content) chunks.push(chunk)
  else {
    // A piece is valid until the call returns, or until the returned promise settles.
    await content.drain?.((piece) => {
      if (way === 'pushed') return (chunks.push(Buffer.from(piece)), null)
      return setImmediate().then(() => void chunks.push(Buffer.from(piece)))
    })
  }
  return Buffer.concat(chunks)
}

async function read(
  body: Buffer | string,
  sizes: readonly number[] = [],
  limits = multipartLimits,
  way: Way = 'pulled',
) {
  const found: Read[] = []
  const inflow: RequestBodyStream = {
    ...requestBodyStream(cut(Buffer.from(body), sizes)),
    // Released chunks must not be read again.
    release: (chunk) => void chunk.fill(0xff),
  }
  for await (const item of uploadEntries(readParts(inflow, 'B', limits))) {
    const { content, ...entry } = item as UploadEntry & { content?: FileContent }
    found.push({
      entry,
      bytes: content === undefined ? Buffer.alloc(0) : await gather(content, way),
    })
  }
  return found
}

function form(parts: readonly { head: string; body: Buffer }[]): Buffer {
  const pieces = parts.flatMap(({ head, body }) => [
    Buffer.from(`--B\r\n${head}\r\n\r\n`),
    body,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from('--B--\r\n')])
}

const disposition = (rest: string) => `Content-Disposition: ${rest}`
const named = (name: string) => disposition(`form-data; name="file"; filename="${name}"`)

const refusal = (detail: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof Fault)
  assert.equal(thrown.code, 'bad_params')
  assert.equal(thrown.message, detail)
  return true
}

test('parts come out byte for byte however the stream is cut and the content is read', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      '\r\n--',
      '\r\n--B',
      '\r\n--Bx',
      '--B--',
      '-',
      'B',
      '\r\n-',
    ),
    fc.string({ maxLength: 40 }),
  )
  const content = fc
    .array(piece, { maxLength: 12 })
    .map((pieces) => pieces.join(''))
    // Text that would end the part is not content.
    .filter((text) => !/\r\n--B(--|[ \t]|\r\n|-?\r?$)/.test(`\r\n${text}\r\n`))
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 }),
      fc.constantFrom<Way>('pulled', 'pushed', 'waiting'),
      async (contents, sizes, way) => {
        const parts = contents.map((text, index) => ({
          head: named(`f${index}`),
          body: Buffer.from(text),
        }))
        const found = await read(form(parts), sizes, multipartLimits, way)
        assert.deepEqual(
          found.map(({ entry, bytes }) => [entry.path, bytes.toString()]),
          contents.map((text, index) => [`f${index}`, text]),
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('a body around the size of a delimiter or a chunk stays whole', async () => {
  for (const size of [0, 1, 2, 4, 5, 6, 7, 65_535, 65_536, 65_537]) {
    const body = Buffer.alloc(size, '\r')
    for (const step of [1, 5, 65_536]) {
      if (size > 100 && step === 1) continue
      const [only] = await read(form([{ head: named('x'), body }]), [step])
      assert.ok(only?.bytes.equals(body), `${size} bytes in steps of ${step}`)
    }
  }
})

const body = Buffer.from('hi')
const pathOf = async (head: string) => (await read(form([{ head, body }])))[0]?.entry.path

test('every disposition that clients send gives an entry', async () => {
  assert.equal(await pathOf(disposition('form-data; name="file"')), '')
  assert.equal(await pathOf(disposition('form-data; name="file"; filename=""')), '')
  assert.equal(await pathOf(disposition('attachment; filename="d%2Fa.txt"')), 'd/a.txt')
  assert.equal(await pathOf(disposition('form-data; filename="h w.txt"')), 'h w.txt')
  assert.equal(await pathOf(disposition('form-data; filename=plain.txt; name=x')), 'plain.txt')
  assert.equal(await pathOf(disposition(`form-data; filename*=UTF-8''%C3%BC.txt`)), 'ü.txt')
  assert.equal(await pathOf('X-Nothing: here'), '')
  assert.equal(await pathOf(''), '')
})

test('names are unquoted, query-unescaped and cleaned as Kubo does', async () => {
  assert.equal(await pathOf(named('a\\"b')), 'a"b')
  assert.equal(await pathOf(named('C:\\dir')), 'C:\\dir')
  assert.equal(await pathOf(named('a+b%2Bc')), 'a b+c')
  assert.equal(await pathOf(named('100%')), '100%')
  assert.equal(await pathOf(named('../../etc/./passwd')), 'etc/passwd')
  assert.equal(await pathOf(named('dir%2F%C3%BCn%C3%AF%20%22x%22.txt')), 'dir/ünï "x".txt')
})

test('type and name suffix decide kind, mode and time', async () => {
  const [entry] = await read(
    form([
      {
        head: disposition('form-data; name="file?mode=0755&mtime=5&mtime-nsecs=6"; filename="x"'),
        body,
      },
    ]),
  )
  assert.deepEqual(entry?.entry, {
    kind: 'file',
    path: 'x',
    mode: 0o755,
    mtime: { seconds: 5n, nanos: 6 },
  })
  const typed = (type: string) =>
    read(form([{ head: `${named('x')}\r\nContent-Type: ${type}`, body }]))
  assert.deepEqual((await typed('application/x-directory; a=b'))[0]?.entry.kind, 'directory')
  assert.deepEqual((await typed('multipart/form-data; boundary=q'))[0]?.entry.kind, 'directory')
  assert.deepEqual((await typed('application/symlink'))[0]?.entry, {
    kind: 'symlink',
    path: 'x',
    target: 'hi',
  })
})

test('preamble, epilogue and a body without parts are accepted', async () => {
  const whole = form([{ head: named('x'), body }])
  assert.equal((await read(Buffer.concat([Buffer.from('hello\r\n'), whole, body]))).length, 1)
  assert.deepEqual(await read('--B--'), [])
  assert.deepEqual(await read('\r\n--B--\r\n'), [])
})

test('a body that ends early is refused wherever it was cut', async () => {
  const whole = form([{ head: named('x'), body }])
  for (let length = 0; length < whole.length - 2; length++) {
    for (const way of ['pulled', 'pushed'] as const) {
      await assert.rejects(
        read(whole.subarray(0, length), [3], multipartLimits, way),
        refusal('multipart: NextPart: EOF'),
      )
    }
  }
})

test('an unread part is skipped', async () => {
  const whole = form([
    { head: named('x'), body: Buffer.alloc(5000) },
    { head: named('y'), body },
  ])
  const paths: string[] = []
  for await (const part of readParts(requestBodyStream(cut(whole, [100])), 'B'))
    paths.push(part.head.path)
  assert.deepEqual(paths, ['x', 'y'])
})

test('more than 100,000 parts come out, and names of any depth', async () => {
  const part = Buffer.from(`--B\r\n${named('x')}\r\n\r\n\r\n`)
  const parts = 100_001
  const whole = Buffer.concat([
    ...Array.from({ length: parts }, () => part),
    Buffer.from('--B--\r\n'),
  ])
  let count = 0
  for await (const _ of readParts(requestBodyStream(cut(whole, [60_000])), 'B')) count += 1
  assert.equal(count, parts)
  assert.equal(await pathOf(named('a/'.repeat(2000))), 'a/'.repeat(2000).slice(0, -1))
})

test('each limit is reached and answered', async () => {
  await assert.rejects(
    read(form([{ head: `X: ${'y'.repeat(17_000)}`, body }]), [1000]),
    refusal('multipart: part header over 16384 bytes'),
  )
  await assert.rejects(
    read(form([{ head: 'X: y\r\n'.repeat(40) + 'X: y', body }])),
    refusal('multipart: too many part headers'),
  )
  await assert.rejects(pathOf(named('a%00')), refusal('multipart: file name holds a NUL byte'))
  await assert.rejects(pathOf(named('%FF')), refusal('multipart: file name is not valid UTF-8'))
  const link = `${named('x')}\r\nContent-Type: application/symlink`
  await assert.rejects(
    read(form([{ head: link, body: Buffer.alloc(4097) }])),
    refusal('part is over 4096 bytes'),
  )
})

test('the boundary is found quoted or bare, and a missing one is an error', () => {
  assert.equal(findBoundary('multipart/form-data; boundary=abc'), 'abc')
  assert.equal(findBoundary('Multipart/Form-Data; charset=x; boundary="a b"'), 'a b')
  assert.equal(findBoundary('text/plain'), null)
  assert.equal(findBoundary(undefined), null)
  assert.throws(() => findBoundary('multipart/form-data'), {
    message: 'no multipart boundary param in Content-Type',
  })
})

test('bytes around the parts are read up to a limit, and not for ever', async () => {
  const limits = { ...multipartLimits, paddingBytesMax: 100 }
  const whole = form([{ head: 'Content-Disposition: form-data; name="f"', body: Buffer.from('x') }])
  const around = (before: number, after: number) =>
    Buffer.concat([Buffer.alloc(before, 'p'), Buffer.from('\r\n'), whole, Buffer.alloc(after, 'e')])
  assert.equal((await read(around(60, 60), [7], limits)).length, 1)
  for (const body of [around(200, 0), around(0, 200)]) {
    await assert.rejects(
      read(body, [7], limits),
      (thrown) => thrown instanceof Fault && /more than 100 bytes before/.test(thrown.message),
    )
  }
})
