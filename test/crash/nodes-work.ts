// Concurrent changes to the content that two servers share, each sent to either of them, during a failure: adds, pins, unpins,
// reads, content without a pin, and collections. A request that fails in the meantime may have been executed or not.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { pause } from '../../src/base/clock.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import type { Random } from '../fakes/seeded.ts'
import { cidIn, type Content, digestsOf, requestOf, someContent } from './content.ts'
import {
  addPinned,
  changePin,
  runCollection,
  type Entry,
  addLeased,
  type Ledger,
} from './ledger.ts'
import type { Nodes, Trouble } from './nodes.ts'

const turnsMax = 500
/** Maximum time of a request, whatever fails. */
const replyMs = 60_000
/** Pause between retries during a failure. */
const againMs = 30
/** Pause after each request during a failure: a server that is down for seconds must not fill the others with content to check. */
const pacedMs = 100
/** Number of acknowledged changes after the failure. */
const acknowledgedAfter = 8
const afterMs = 1500

/** The request failed because a server or engine failed. */
class Unavailable extends Error {}

type Reply = { readonly status: number; readonly text: string }

type Plan = {
  readonly random: Random
  /** Prefix unique to the round. */
  readonly own: string
  readonly trouble: Trouble
  /** Number of acknowledged changes before the failure. */
  readonly before: number
  readonly troubleMs: number
}

/** Resolves when the failure is over and no request is in flight. */
export async function runThrough(nodes: Nodes, ledger: Ledger, plan: Plan): Promise<void> {
  const { random, own, trouble } = plan
  let done = 0
  let made = 0
  let troubled = false
  let over = false

  /** A busy server refuses at any time, and acknowledges nothing. */
  const mayRefuse = (text: string): boolean => troubled || text.includes('overloaded')

  /** Returns any reply except one with status 503; throws `Unavailable` if a part has failed or the server is busy. */
  async function ask(command: string, body?: FormData): Promise<Reply> {
    const { post } = filesClient(nodes.at(random(2)))
    try {
      const response = await post(command, body, AbortSignal.timeout(replyMs))
      const text = await response.text()
      if (response.status !== 503) return { status: response.status, text }
      assert.ok(mayRefuse(text), `${command}: 503 ${text}`)
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      assert.ok(!isLate, `${command}: no reply in ${replyMs} ms`)
      if (!troubled || error instanceof assert.AssertionError) throw error
    }
    throw new Unavailable()
  }

  /** Returns the text of a reply with status 200. */
  async function get(command: string, body?: FormData): Promise<string> {
    const { status, text } = await ask(command, body)
    assert.equal(status, 200, `${command}: ${text}`)
    return text
  }

  async function send(content: Content, pin: boolean): Promise<string> {
    const { command, body } = await requestOf(content, pin)
    const text = await get(command, body)
    try {
      return cidIn(content, text)
    } catch (error) {
      // The server sent the status before the failure.
      if (troubled) throw new Unavailable()
      throw error
    }
  }

  function some(state: Entry['state']): Entry | null {
    const all = [...ledger.entries.values()].filter((entry) => entry.state === state)
    return all[random(all.length)] ?? null
  }

  async function unpin(entry: Entry): Promise<void> {
    await changePin(entry, async () => {
      const { status, text } = await ask(`pin/rm?arg=${entry.cid}`)
      if (status === 200) return 'free'
      assert.ok(entry.hasConflict, `another command was faster: ${text}`)
      return null
    })
  }

  async function pinAgain(entry: Entry): Promise<void> {
    await changePin(entry, async () => {
      const { status, text } = await ask(`pin/add?arg=${entry.cid}`)
      if (status === 200) return 'pinned'
      assert.match(text, /could not find/)
      return null
    })
  }

  async function add(): Promise<void> {
    const at = random(100)
    const entry = at < 55 ? null : some(at < 85 ? 'pinned' : 'free')
    if (entry === null) {
      const content = someContent(random, `${own}.${(made += 1)}`)
      await addPinned(ledger, content, () => send(content, true))
    } else if (at < 78) await unpin(entry)
    else if (at < 92) {
      await changePin(entry, async () => {
        assert.equal(await send(entry.content, true), entry.cid)
        return 'pinned'
      })
    } else await pinAgain(entry)
  }

  /** Reads acknowledged content from either server. */
  async function read(): Promise<void> {
    const entry = some('pinned')
    if (entry === null) return await add()
    const { cid, content, changes } = entry
    const [file] = content.files
    const path = content.kind === 'folder' ? `${cid}/${file?.name ?? ''}` : cid
    const command = content.kind === 'block' ? `block/get?arg=${path}` : `cat?arg=${path}`
    const found = await digestOf(command)
    if (found === digestsOf(content)[0]) return
    if (entry.changes === changes) assert.fail(`${command} is not what was added: ${found}`)
  }

  /** Returns the digest, or the error. */
  async function digestOf(command: string): Promise<string> {
    const { post } = filesClient(nodes.at(random(2)))
    try {
      const response = await post(command, undefined, AbortSignal.timeout(replyMs))
      if (response.status !== 200) {
        const text = `${response.status} ${await response.text()}`
        if (response.status === 503 && mayRefuse(text)) throw new Unavailable()
        return text
      }
      const hash = createHash('sha256')
      for await (const chunk of response.body ?? []) hash.update(chunk)
      return hash.digest('hex')
    } catch (error) {
      if (troubled || error instanceof Unavailable) throw new Unavailable()
      throw error
    }
  }

  async function bringLoose(): Promise<void> {
    const content = someContent(random, `${own}.${(made += 1)}`)
    if (content.kind === 'car') return await read()
    if (random(4) > 0) await addLeased(ledger, content, () => send(content, false))
    else await runCollection(ledger, async () => void (await get('repo/gc')))
  }

  async function lane(step: () => Promise<void>): Promise<void> {
    for (let turn = 0; !over && turn < turnsMax; turn += 1) {
      try {
        await step()
        ledger.acknowledged += 1
        done += 1
        if (troubled) await pause(pacedMs)
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        await pause(againMs)
      }
    }
  }

  async function fail(): Promise<void> {
    while (done < plan.before && !over) await pause(5)
    troubled = true
    await trouble.begin()
    await pause(plan.troubleMs)
    await trouble.end()
    const [from, end] = [done, performance.now() + afterMs]
    while (done < from + acknowledgedAfter && performance.now() < end && !over) await pause(5)
    over = true
  }

  const lanes = [add, add, add, read, read, bringLoose].map(lane)
  const all = [...lanes, fail()].map((each) =>
    each.catch((error: unknown) => {
      over = true
      throw error
    }),
  )
  await Promise.allSettled(all)
  await Promise.all(all)
}
