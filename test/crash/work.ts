// Concurrent changes to the stored content until the server is killed: adds of all sizes, repeated adds, unpins, pins of unpinned
// content, content without a pin, and collections of both kinds.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { pause } from '../../src/base/clock.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { createSqliteRows } from '../../src/db/sqlite-rows.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { requestCollection, findAnswer } from '../../src/ipfs/collection/collection-requests.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import type { Random } from '../fakes/seeded.ts'
import type { Started } from '../started-server.ts'
import { cidIn, type Content, requestOf, someContent } from './content.ts'
import {
  addPinned,
  changePin,
  runCollection,
  type Entry,
  addLeased,
  type Ledger,
} from './ledger.ts'

const turnsMax = 500

/** `own`: prefix unique to the round. Resolves when the server is dead, after about `stopAfter` acknowledgements. */
export async function runUntilKilled(
  cairn: Started,
  ledger: Ledger,
  plan: { readonly random: Random; readonly own: string; readonly stopAfter: number },
): Promise<void> {
  const { random, own, stopAfter } = plan
  const { post } = filesClient(cairn)
  const delayMs = random(2) === 0 ? 0 : random(60)
  let done = 0
  let killed = false
  let killing: Promise<void> | null = null
  let made = 0

  async function kill(): Promise<void> {
    if (delayMs > 0) await pause(delayMs)
    killed = true
    await cairn.kill()
  }

  async function ask(command: string, body?: FormData): Promise<string> {
    const response = await post(command, body)
    const text = await response.text()
    assert.equal(response.status, 200, `${command}: ${text}`)
    return text
  }

  async function send(content: Content, pin: boolean): Promise<string> {
    const { command, body } = await requestOf(content, pin)
    return cidIn(content, await ask(command, body))
  }

  function some(state: Entry['state']): Entry | null {
    const all = [...ledger.entries.values()].filter((entry) => entry.state === state)
    return all[random(all.length)] ?? null
  }

  async function addAgain(entry: Entry): Promise<void> {
    await changePin(entry, async () => {
      assert.equal(await send(entry.content, true), entry.cid)
      return 'pinned'
    })
  }

  async function unpin(entry: Entry): Promise<void> {
    await changePin(entry, async () => {
      const response = await post(`pin/rm?arg=${entry.cid}`)
      const text = await response.text()
      if (response.status === 200) return 'free'
      // Another command was faster.
      assert.ok(entry.hasConflict, text)
      return null
    })
  }

  async function pinAgain(entry: Entry): Promise<void> {
    await changePin(entry, async () => {
      const response = await post(`pin/add?arg=${entry.cid}`)
      const text = await response.text()
      if (response.status === 200) return 'pinned'
      // It may have been deleted in the meantime.
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
    else if (at < 92) await addAgain(entry)
    else await pinAgain(entry)
  }

  async function bringLoose(): Promise<void> {
    const content = someContent(random, `${own}.${(made += 1)}`)
    if (content.kind === 'car') return
    if (random(4) > 0) await addLeased(ledger, content, () => send(content, false))
    else await runCollection(ledger, async () => void (await ask('repo/gc')))
  }

  /** As `cairn gc` does with a running server. */
  async function sweep(): Promise<void> {
    const db = openDatabase(join(cairn.dataDir, 'cairn.db'))
    try {
      const rows = createSqliteRows(db, createInlineWriter(db))
      const id = await requestCollection(rows, Date.now())
      while (!killed) {
        const answer = await findAnswer(rows, id)
        if (answer !== null) return assert.ok(answer.swept, answer.error)
        await pause(20)
      }
    } finally {
      db.close()
    }
  }

  async function lane(step: () => Promise<void>): Promise<void> {
    for (let turn = 0; !killed && turn < turnsMax; turn += 1) {
      try {
        await step()
        ledger.acknowledged += 1
        if ((done += 1) >= stopAfter) killing ??= kill()
      } catch (error) {
        if (!killed || error instanceof assert.AssertionError) throw error
      }
    }
  }

  if (stopAfter === 0) killing = kill()
  try {
    await Promise.all([lane(add), lane(add), lane(add), lane(bringLoose), lane(sweep)])
  } finally {
    await (killing ?? kill())
  }
}
