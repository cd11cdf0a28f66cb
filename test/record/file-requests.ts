// The requests at /api/v0 whose replies are recorded, in sending order. Each may name blocks that an earlier request
// created.
import type { FilesRequest } from '../fakes/upstream/recorded-request.ts'

/** Sends one request, records it, and returns the text of the reply. */
export type Send = (
  name: string,
  command: string,
  params?: readonly (readonly [string, string])[],
  parts?: FilesRequest['parts'],
) => Promise<string>

const file = (filename: string, text: string) => ({ filename, type: 'file', text }) as const
const folder = (filename: string) => ({ filename, type: 'directory', text: '' }) as const
const big = { filename: 'big', type: 'file', repeat: [7, 700_000] } as const
const arg = (value: string) => [['arg', value]] as const

function lastOf(text: string): string {
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { Hash: string }).Hash
}

/** A CID without a block: the SHA2-256 of bytes that no request sends. */
const missing = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

export async function sendFileRequests(send: Send): Promise<void> {
  const hello = lastOf(await send('add', 'add', [], [file('hello.txt', 'hello stone\n')]))
  await send('add-v1', 'add', [['cid-version', '1']], [file('hello.txt', 'hello stone\n')])
  await send('add-raw-leaves', 'add', [['raw-leaves', 'true']], [file('hello', 'raw\n')])
  await send('add-only-hash', 'add', [['only-hash', 'true']], [file('x', 'nowhere\n')])
  await send('add-quieter', 'add', [['quieter', 'true']], [file('q', 'quiet\n')])
  await send('add-sha512', 'add', [['hash', 'sha2-512']], [file('h', 'longer\n')])
  await send('add-inline', 'add', [['inline', 'true']], [file('i', 'inside\n')])
  await send('add-two', 'add', [], [file('b', 'b\n'), file('a', 'a\n')])
  const tree = lastOf(
    await send(
      'add-folder',
      'add',
      [],
      [
        folder('way'),
        file('way%2Ffirst.txt', 'first\n'),
        folder('way%2Fsecond'),
        file('way%2Fsecond%2Fstone', 'stone\n'),
      ],
    ),
  )
  const wrapped = await send(
    'add-wrapped',
    'add',
    [['wrap-with-directory', 'true']],
    [file('a.txt', 'a\n')],
  )
  const large = lastOf(await send('add-blocks', 'add', [['progress', 'false']], [big]))
  await send('add-unpinned', 'add', [['pin', 'false']], [file('u', 'unpinned\n')])
  const link = lastOf(
    await send('add-link', 'add', [], [{ filename: 'link', type: 'symlink', text: 'way/first' }]),
  )
  for (const [name, value] of [
    ['cid-version', '9'],
    ['hash', 'nope'],
    ['chunker', 'nope'],
    ['chunker', 'size-0'],
    ['pin', 'maybe'],
    ['mtime-nsecs', '5'],
  ] as const) {
    await send(`add-${name}-${value}`, 'add', [[name, value]], [file('x', 'x\n')])
  }

  for (const [name, params] of [
    ['file', arg(hello)],
    ['slice', [...arg(hello), ['offset', '3'], ['length', '4']]],
    ['past-end', [...arg(hello), ['offset', '100']]],
    ['nothing', [...arg(hello), ['length', '0']]],
    ['negative', [...arg(hello), ['offset', '-1']]],
    ['twice', [...arg(hello), ...arg(hello)]],
    ['path', arg(`/ipfs/${tree}/second/stone`)],
    ['across-blocks', [...arg(large), ['offset', '262140'], ['length', '8']]],
    ['link', arg(link)],
    ['folder', arg(tree)],
    ['no-entry', arg(`${tree}/third`)],
    ['no-cid', arg('stone')],
    ['no-namespace', arg(`/stones/${hello}`)],
    ['no-argument', []],
    ['no-number', [...arg(hello), ['offset', 'abc']]],
    ['unknown-option', [...arg(hello), ['stones', '1']]],
    ['absent', [...arg(missing), ['offline', 'true']]],
  ] as const) {
    await send(`cat-${name}`, 'cat', params)
  }
  for (const [name, params] of [
    ['folder', arg(tree)],
    ['path', arg(`${tree}/second`)],
    ['file', arg(hello)],
    ['blocks', arg(large)],
    ['two', [...arg(tree), ...arg(hello)]],
    ['unresolved', [...arg(tree), ['resolve-type', 'false'], ['size', 'false']]],
    ['stream', [...arg(tree), ['stream', 'true']]],
    ['no-entry', arg(`${tree}/third`)],
    ['absent', [...arg(missing), ['offline', 'true']]],
  ] as const) {
    await send(`ls-${name}`, 'ls', params)
  }
  for (const [name, params] of [
    ['folder', arg(tree)],
    ['recursive', [...arg(tree), ['recursive', 'true']]],
    ['depth', [...arg(tree), ['recursive', 'true'], ['max-depth', '1']]],
    ['edges', [...arg(tree), ['recursive', 'true'], ['edges', 'true']]],
    ['format', [...arg(tree), ['format', '<src> <linkname> <dst>']]],
    ['unique', [...arg(large), ['unique', 'true']]],
    ['file', arg(hello)],
    ['edges-and-format', [...arg(tree), ['edges', 'true'], ['format', '<dst>']]],
  ] as const) {
    await send(`refs-${name}`, 'refs', params)
  }

  await send('block-get', 'block/get', arg(hello))
  await send('block-get-absent', 'block/get', [...arg(missing), ['offline', 'true']])
  await send('block-get-no-argument', 'block/get')
  await send('block-stat', 'block/stat', arg(large))
  await send('block-stat-absent', 'block/stat', [...arg(missing), ['offline', 'true']])
  const block = JSON.parse(
    await send('block-put', 'block/put', [], [file('data', 'a block\n')]),
  ) as { Key: string }
  await send('block-put-codec', 'block/put', [['cid-codec', 'nope']], [file('data', 'a\n')])
  await send('block-put-no-file', 'block/put')
  await send('block-rm', 'block/rm', arg(block.Key))
  await send('block-rm-again', 'block/rm', arg(block.Key))
  await send('block-rm-pinned', 'block/rm', arg(hello))

  const json = `{"stone":{"/":"${hello}"},"list":[1,true,null,"x"]}`
  const node = JSON.parse(await send('dag-put', 'dag/put', [], [file('data', json)])) as {
    Cid: { '/': string }
  }
  const cid = node.Cid['/']
  await send('dag-put-pinned', 'dag/put', [['pin', 'true']], [file('data', '{"pinned":1}')])
  await send('dag-put-bad', 'dag/put', [], [file('data', '{"open":')])
  await send('dag-get', 'dag/get', arg(cid))
  await send('dag-get-path', 'dag/get', arg(`${cid}/list/3`))
  await send('dag-get-node', 'dag/get', arg(tree))
  await send('dag-get-cbor', 'dag/get', [...arg(cid), ['output-codec', 'dag-cbor']])
  await send('dag-get-no-field', 'dag/get', arg(`${cid}/nothing`))
  await send('dag-get-absent', 'dag/get', [...arg(missing), ['offline', 'true']])
  await send('dag-resolve', 'dag/resolve', arg(`${tree}/second/stone`))
  await send('dag-resolve-rest', 'dag/resolve', arg(`${cid}/list/0`))
  await send('dag-resolve-no-entry', 'dag/resolve', arg(`${tree}/third`))
  await send('dag-stat', 'dag/stat', [...arg(tree), ['progress', 'false']])
  await send('dag-stat-two', 'dag/stat', [...arg(tree), ...arg(hello), ['progress', 'false']])
  await send('dag-export', 'dag/export', [...arg(tree), ['progress', 'false']])
  await send('dag-export-absent', 'dag/export', [...arg(missing), ['offline', 'true']])
  await send('dag-import-bad', 'dag/import', [], [file('car', 'no archive')])

  await send('pin-add', 'pin/add', arg(tree))
  await send('pin-add-two', 'pin/add', [...arg(tree), ...arg(hello)])
  await send('pin-add-direct', 'pin/add', [...arg(cid), ['recursive', 'false']])
  await send('pin-add-downgrade', 'pin/add', [...arg(tree), ['recursive', 'false']])
  await send('pin-add-name', 'pin/add', [...arg(large), ['name', 'large']])
  await send('pin-add-absent', 'pin/add', [...arg(missing), ['offline', 'true']])
  await send('pin-add-no-argument', 'pin/add')
  await send('pin-ls', 'pin/ls', arg(tree))
  await send('pin-ls-direct', 'pin/ls', [...arg(cid), ['type', 'direct']])
  await send('pin-ls-indirect', 'pin/ls', arg(`/ipfs/${tree}/second`))
  await send('pin-ls-names', 'pin/ls', [...arg(large), ['names', 'true']])
  await send('pin-ls-quiet', 'pin/ls', [...arg(tree), ['quiet', 'true']])
  await send('pin-ls-stream', 'pin/ls', [...arg(tree), ['stream', 'true']])
  await send('pin-ls-unpinned', 'pin/ls', arg(missing))
  await send('pin-ls-type', 'pin/ls', [['type', 'stones']])
  await send('pin-update', 'pin/update', [...arg(hello), ...arg(tree)])
  await send('pin-update-unpinned', 'pin/update', [...arg(hello), ...arg(tree)])
  await send('pin-rm', 'pin/rm', arg(tree))
  await send('pin-rm-again', 'pin/rm', arg(tree))
  await send('pin-rm-direct', 'pin/rm', arg(cid))

  await send('files-stat', 'files/stat', arg(`/ipfs/${tree}`))
  await send('files-stat-file', 'files/stat', arg(`/ipfs/${large}`))
  await send('files-stat-hash', 'files/stat', [...arg(`/ipfs/${tree}`), ['hash', 'true']])
  await send('files-stat-with-local', 'files/stat', [
    ...arg(`/ipfs/${tree}`),
    ['with-local', 'true'],
  ])
  await send('resolve', 'resolve', arg(`/ipfs/${tree}/first.txt`))
  await send('resolve-no-entry', 'resolve', arg(`/ipfs/${tree}/third`))
  await send('get-compression', 'get', [
    ...arg(hello),
    ['compress', 'true'],
    ['compression-level', '10'],
  ])
  await send('wrapped-ls', 'ls', arg(lastOf(wrapped)))
  await send('no-command', 'stones')
  await send('no-subcommand', 'pin/stones')
  await send('encoding', 'version', [['encoding', 'stones']])
}
