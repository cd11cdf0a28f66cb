// Sends every request of files-bombs.ts to a started server, and DAGs with false sizes: each gets the correct reply at a bounded
// cost.
import assert from 'node:assert/strict'
import { platform } from 'node:process'
import { after, before, suite, test } from 'node:test'
import { dagPbCodec, rawCodec, cidOf } from '../../src/codec/ipld/cid.ts'
import { type DagLink, encodeDagNode } from '../../src/codec/ipld/dag-pb.ts'
import { cutMultihash, sha256Code } from '../../src/codec/ipld/multihash.ts'
import { encodeUnixfs } from '../../src/codec/ipld/unixfs.ts'
import { type Started, startCairn } from '../started-server.ts'
import { bombLimits, file, filesBombs, form, multipart } from './files-bombs.ts'
import { readFigures } from './process-figures.ts'

// Several times the highest measured cost, 1,500 files and pins in 0.5 s. A cost that grows with the square of the request is far
// above it.
const cpuMsMax = 3_000
const grownMiBMax = 150

type Block = { readonly cid: Uint8Array; readonly name: string; readonly bytes: Uint8Array }

function blockOf(bytes: Uint8Array, codec = dagPbCodec): Block {
  const cid = cidOf(1, codec, cutMultihash(sha256Code, null, bytes))
  return { cid: cid.bytes, name: cid.toString(), bytes }
}

/** A file node with the given sizes of its children. */
function fileNode(
  children: readonly (readonly [child: Block, size: bigint])[],
  fileSize?: bigint,
): Block {
  const blockSizes = children.map(([, size]) => size)
  const data = encodeUnixfs({
    type: 'file',
    fileSize: fileSize ?? blockSizes.reduce((sum, size) => sum + size, 0n),
    blockSizes,
  })
  return blockOf(encodeDagNode({ links: children.map(([child]) => linkTo(child)), data }))
}

function linkTo({ cid }: Pick<Block, 'cid'>): DagLink {
  return { cid, name: '', size: 0n }
}

const leaf = blockOf(new Uint8Array(1_024).fill(0x61), rawCodec)

suite('requests made to cost', { skip: platform !== 'linux' && 'reads /proc' }, () => {
  let cairn: Started
  before(async () => {
    cairn = await startCairn({ env: bombLimits })
    for (let n = 0; n < 50; n++) await (await ask('version')).arrayBuffer()
  })
  after(() => cairn.stop())

  function ask(
    target: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const authorization = `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}`
    return fetch(`${cairn.url}/api/v0/${target}`, {
      method: 'POST',
      headers: { authorization, ...headers },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
  }

  /** Puts blocks and checks their CIDs. */
  async function put(codec: string, blocks: readonly Block[]): Promise<void> {
    const parts = blocks.flatMap(({ bytes }) => [
      Buffer.from('--edge\r\nContent-Disposition: form-data; name="data"; filename="b"\r\n\r\n'),
      bytes,
      Buffer.from('\r\n'),
    ])
    const body = Buffer.concat([...parts, Buffer.from('--edge--\r\n')])
    const answer = await ask(`block/put?cid-codec=${codec}`, body, multipart)
    const lines = (await answer.text()).trim().split('\n')
    assert.equal(answer.status, 200, lines[0])
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { Key: string }).Key),
      blocks.map(({ name }) => name),
    )
  }

  async function priced(run: () => Promise<void>, cpuMs = cpuMsMax): Promise<void> {
    const idle = await readFigures(cairn.child.pid)
    await run()
    const spent = await readFigures(cairn.child.pid)
    assert.ok(spent.cpuMs - idle.cpuMs < cpuMs, `${spent.cpuMs - idle.cpuMs} ms of processor`)
    const grown = spent.residentMiB - idle.residentMiB
    assert.ok(grown < grownMiBMax, `grew by ${grown} MiB`)
  }

  for (const { name, target, body, headers, status, reply } of filesBombs) {
    test(`${name}: the right answer at a bounded cost`, () =>
      priced(async () => {
        const response = await ask(target, body, headers)
        const text = await response.text()
        const refused = response.status >= 400 && response.status <= 500
        assert.ok(status === 0 ? refused : response.status === status, `${response.status} ${text}`)
        assert.match(text, reply)
        assert.match(response.headers.get('content-type') ?? '', /^(text\/plain|application\/json)/)
      }))
  }

  test('31 blocks that describe 2^40 bytes are read anywhere, pinned as 31 blocks, and cost little to leave', async () => {
    const blocks = [leaf]
    let size = 1_024n
    for (let level = 0; level < 30; level++) {
      const below = blocks.at(-1) as Block
      blocks.push(
        fileNode([
          [below, size],
          [below, size],
        ]),
      )
      size *= 2n
    }
    await put('raw', [leaf])
    await put('dag-pb', blocks.slice(1))
    const root = blocks.at(-1)?.name
    await priced(async () => {
      for (const offset of [0n, 12_345n, size / 2n - 1n, size - 3n]) {
        const answer = await ask(`cat?arg=${root}&offset=${offset}&length=3`)
        assert.equal(await answer.text(), 'aaa')
      }
      const pinned = await ask(`pin/add?arg=${root}&progress=true`)
      assert.match(await pinned.text(), /"Pins":\["/)
      const leaving = new AbortController()
      const whole = await ask(`cat?arg=${root}`, undefined, {}, leaving.signal)
      assert.equal(whole.headers.get('x-content-length'), String(size))
      const reader = (whole.body as ReadableStream<Uint8Array>).getReader()
      for (let bytes = 0; bytes < 1_048_576;) bytes += (await reader.read()).value?.length ?? 0
      leaving.abort()
    }, 1_000)
  })

  test('false sizes cause an error or a cut connection, never a truncated file that looks complete', async () => {
    const lies = [
      fileNode([[leaf, 10n]]),
      fileNode([[leaf, 2_000n]]),
      fileNode([[leaf, 1n << 62n]]),
      fileNode([[leaf, 1_024n]], 5n),
      fileNode([[leaf, 1_024n]], (1n << 63n) - 1n),
      fileNode([
        [leaf, 1_024n],
        [leaf, 1_023n],
      ]),
    ]
    await put('raw', [leaf])
    await put('dag-pb', lies)
    for (const { name } of lies) {
      await priced(async () => {
        const outcome = await ask(`cat?arg=${name}`)
          .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
          .catch(() => null)
        if (outcome === null) return
        assert.equal(outcome.status, 500)
        assert.match(outcome.text, /malformed file node|not as large as its parent says/)
      })
    }
  })

  test('a file DAG of 100 levels is refused, a chain of 1,900 blocks is pinned, one over the cap is not', async () => {
    const chain = [leaf]
    while (chain.length < 2_001) chain.push(fileNode([[chain.at(-1) as Block, 1_024n]]))
    await put('raw', [leaf])
    await put('dag-pb', chain.slice(1))
    await priced(async () => {
      const deep = await ask(`cat?arg=${chain[100]?.name}`)
      assert.match(await deep.text(), /file DAG is deeper than 64 levels/)
      const pinned = await ask(`pin/add?arg=${chain[1_900]?.name}`)
      assert.equal(pinned.status, 200, await pinned.text())
      const over = await ask(`pin/add?arg=${chain[2_000]?.name}`)
      assert.equal(over.status, 500)
      assert.match(await over.text(), /DAG has more than 2000 blocks/)
    }, 1_000)
  })

  test('sharded directories with impossible shapes are refused', async () => {
    const fanouts = [0n, 1n, 7n, 2_048n, 1n << 31n, 1n << 40n, (1n << 63n) - 1n]
    const shards = fanouts.map((fanout) =>
      blockOf(
        encodeDagNode({
          links: [linkTo(leaf)],
          data: encodeUnixfs({ type: 'hamt', data: Uint8Array.of(1), hashType: 0x22n, fanout }),
        }),
      ),
    )
    shards.push(
      blockOf(
        encodeDagNode({
          links: [],
          data: encodeUnixfs({
            type: 'hamt',
            data: new Uint8Array(1_000_000).fill(0xff),
            hashType: 0x22n,
            fanout: 256n,
          }),
        }),
      ),
    )
    await put('dag-pb', shards)
    for (const { name } of shards) {
      await priced(async () => {
        const answer = await ask(`cat?arg=${name}/a`)
        assert.equal(answer.status, 500)
        assert.match(await answer.text(), /malformed HAMT directory/)
      })
    }
  })

  test('bytes that are no node are refused wherever a node is needed', async () => {
    const junk = [
      blockOf(new Uint8Array(1_000_000).fill(0xff)),
      blockOf(Uint8Array.of(0x12, 0xff, 0xff, 0xff, 0xff, 0x0f)),
      blockOf(Uint8Array.of(0x0a, 0x02, 0x08, 0x63)),
    ]
    for (const block of junk) {
      const body = Buffer.from(
        form(file('b', Buffer.from(block.bytes).toString('latin1'))),
        'latin1',
      )
      await priced(async () => {
        await (await ask('block/put?cid-codec=dag-pb', body, multipart)).arrayBuffer()
        const answer = await ask(`cat?arg=${block.name}&timeout=1s`)
        assert.equal(answer.status, 500)
        assert.match(await answer.text(), /^\{"Message":"[^]{1,300}","Code":0,"Type":"error"\}\n$/)
      })
    }
  })

  test('the same process serves requests after all attacks', async () => {
    assert.equal(cairn.child.exitCode, null)
    assert.match(await (await ask('version')).text(), /^\{"Version"/)
  })
})
