// Checks that a restarted server has exactly the acknowledged content: pins, their bytes, and the account's storage to the byte.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { carLimits, openCar } from '../../src/codec/ipld/car-reader.ts'
import { verifyDagBlock } from '../../src/codec/ipld/verify-dag-block.ts'
import { linksOf } from '../../src/ipfs/read/links.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import type { Random } from '../fakes/seeded.ts'
import type { Started } from '../started-server.ts'
import { type Content, digestsOf } from './content.ts'
import { type Ledger, resolveUndecided } from './ledger.ts'

/** Block sizes by multihash, of the DAG below a CID. */
type BlockSizes = ReadonlyMap<string, number>

/** Immutable data of a CID, requested once. */
export type BlockSizesByCid = Map<string, BlockSizes>

/** Number of unchanged entries to read again. */
const others = 4

/** `all`: reads everything back. `alsoAt`: a server with the same content. Leaves the account without leases. */
export async function assertAcknowledged(
  cairn: Started,
  ledger: Ledger,
  of: {
    readonly closures: BlockSizesByCid
    readonly random: Random
    readonly all: boolean
    readonly alsoAt?: Started
  },
): Promise<void> {
  const { closures, random, all, alsoAt } = of
  const client = createReader(cairn)
  const readers = [client, ...(alsoAt === undefined ? [] : [createReader(alsoAt)])]
  const pinned = await client.pins()
  for (const reader of readers.slice(1)) assert.deepEqual(await reader.pins(), pinned)
  resolveUndecided(ledger, pinned)
  for (const { cid, state } of ledger.entries.values()) {
    assert.equal(pinned.has(cid), state === 'pinned', `${cid} is ${state}`)
  }
  const closureOf = async (cid: string): Promise<BlockSizes> => {
    const closure = closures.get(cid) ?? (await client.closure(cid))
    closures.set(cid, closure)
    return closure
  }

  await adopt(ledger, pinned, client)
  const stale = [...ledger.entries.values()].filter(
    (entry) => pinned.has(entry.cid) && !entry.unchecked,
  )
  const again = new Set(Array.from({ length: others }, () => stale[random(stale.length)]))
  for (const entry of ledger.entries.values()) {
    if (!pinned.has(entry.cid)) continue
    if (!all && !entry.unchecked && !again.has(entry)) continue
    for (const reader of readers) await reader.assertContent(entry.cid, entry.content)
    if (again.has(entry)) closures.delete(entry.cid)
    await closureOf(entry.cid)
    entry.unchecked = false
  }

  const sizes = new Map<string, number>()
  for (const cid of pinned) for (const [key, size] of await closureOf(cid)) sizes.set(key, size)
  const sure = new Map(sizes)
  for (const [cid, content] of ledger.unpinned) {
    for (const reader of readers) await reader.assertContent(cid, content)
    for (const [key, size] of await closureOf(cid)) sure.set(key, size)
  }
  const before = await client.stored()
  assert.ok(before.bytes >= sum(sure), `${before.bytes} bytes stored of ${sum(sure)}`)
  await client.collect()
  ledger.unpinned.clear()
  assert.deepEqual(await client.stored(), { blocks: sizes.size, bytes: sum(sizes) })
}

/** Content of an interrupted add may exist, but only completely. */
async function adopt(
  ledger: Ledger,
  pinned: ReadonlySet<string>,
  client: ReturnType<typeof createReader>,
): Promise<void> {
  for (const cid of pinned) {
    if (ledger.entries.has(cid)) continue
    const content = await client.findContent(cid, [...ledger.pendingAdds])
    assert.ok(content, `${cid} is pinned without a request`)
    ledger.pendingAdds.delete(content)
    ledger.entries.set(cid, {
      content,
      cid,
      state: 'pinned',
      inFlight: 0,
      hasConflict: false,
      unchecked: true,
      changes: 0,
    })
  }
  ledger.pendingAdds.clear()
}

function sum(sizes: BlockSizes): number {
  return [...sizes.values()].reduce((all, size) => all + size, 0)
}

function createReader(cairn: Started) {
  const { post } = filesClient(cairn)

  async function ask(command: string): Promise<Response> {
    const response = await post(command)
    if (response.status !== 200) assert.fail(`${command}: ${await response.text()}`)
    return response
  }

  async function digest(command: string): Promise<string> {
    const hash = createHash('sha256')
    for await (const chunk of (await ask(command)).body ?? []) hash.update(chunk)
    return hash.digest('hex')
  }

  const pathsOf = (cid: string, { kind, files }: Content): readonly string[] =>
    kind === 'block'
      ? [`block/get?arg=${cid}`]
      : files.map(({ name }) => `cat?arg=${cid}${kind === 'folder' ? `/${name}` : ''}`)

  async function hasContent(cid: string, content: Content, read = digest): Promise<boolean> {
    const digests = digestsOf(content)
    for (const [index, path] of pathsOf(cid, content).entries()) {
      if ((await read(path)) !== digests[index]) return false
    }
    return true
  }

  return {
    async pins(): Promise<ReadonlySet<string>> {
      const answer = await ask('pin/ls?type=recursive')
      const { Keys = {} } = (await answer.json()) as { Keys?: object }
      return new Set(Object.keys(Keys))
    },
    async assertContent(cid: string, content: Content): Promise<void> {
      assert.ok(await hasContent(cid, content), `${cid} is what was added`)
    },
    async findContent(cid: string, contents: readonly Content[]): Promise<Content | null> {
      const links = (await (await ask(`ls?arg=${cid}`)).json()) as {
        Objects: { Links: { Name: string }[] }[]
      }
      const isFolder = links.Objects[0]?.Links.some(({ Name }) => Name !== '') === true
      // Read each path once, not once per candidate.
      const read = new Map<string, Promise<string>>()
      const digestOnce = (path: string): Promise<string> => {
        const known = read.get(path) ?? digest(path)
        read.set(path, known)
        return known
      }
      for (const content of contents) {
        if ((content.kind === 'folder') !== isFolder) continue
        if (await hasContent(cid, content, digestOnce).catch(() => false)) return content
      }
      return null
    },
    /** Fetches the DAG as a CAR: every block is proved, and no linked block is missing. */
    async closure(cid: string): Promise<BlockSizes> {
      const { body } = await ask(`dag/export?arg=${cid}`)
      assert.ok(body)
      const { blocks } = await openCar(body, carLimits)
      const sizes = new Map<string, number>()
      const wanted = [CID.parse(cid)]
      for await (const { cid: name, block } of blocks) {
        verifyDagBlock(name.multihash.bytes, block)
        sizes.set(keyOf(name), block.length)
        wanted.push(...linksOf(name, block).map((link) => link.cid))
      }
      for (const link of wanted)
        assert.ok(sizes.has(keyOf(link)), `${link.toString()} below ${cid} is there`)
      return sizes
    },
    async stored(): Promise<{ readonly blocks: number; readonly bytes: number }> {
      const { NumObjects: blocks, RepoSize: bytes } = (await (await ask('repo/stat')).json()) as {
        NumObjects: number
        RepoSize: number
      }
      return { blocks, bytes }
    },
    collect: async () => void (await (await ask('repo/gc')).text()),
  }
}

function keyOf({ multihash }: CID): string {
  return Buffer.from(multihash.bytes).toString('base64url')
}
