// The pins of an account that contain a block without being pins of it, for the page of a file.
// Tested by src/ipfs/pins/containing-pins.test.ts, test/admin/admin-files.test.ts
import { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { equalBytes } from '../../base/hex.ts'
import { parseCid } from '../../codec/ipld/cid.ts'
import type { Rows } from '../../db/rows.ts'
import { countUsesOfBlock, listPinsContaining } from '../../tables/pinned-blocks.ts'

export type ContainingPins = {
  /** By CID, at most five. */
  readonly pins: readonly { readonly cid: string; readonly name: string }[]
  /** Further pins may contain the block: five were found, or the account has more than 10,000 pins. */
  readonly more: boolean
  /** The account's MFS tree contains the block. */
  readonly tree: boolean
}

const foundMax = 5
const examinedMax = 10_000
/** Pins that are examined before yielding to other work. */
const pageRows = 1000

const none: ContainingPins = { pins: [], more: false, tree: false }

/** Pins that are not counted yet do not appear. */
export async function findContainingPins(
  rows: Rows,
  accountId: string,
  cid: string,
  limits: { readonly examinedMax: number; readonly pageRows: number } = { examinedMax, pageRows },
): Promise<ContainingPins> {
  const hash = parseCid(cid)?.multihash.bytes
  if (hash === undefined) return none
  const uses = await rows.first(countUsesOfBlock(accountId, hash))
  if (uses === null) return none
  const tree = uses.tree === 1
  const pins: { cid: string; name: string }[] = []
  if (uses.others <= 0) return { pins, more: false, tree }
  let after: Uint8Array = new Uint8Array()
  for (let examined = 0; examined < limits.examinedMax; examined += limits.pageRows) {
    const page = await rows.find(listPinsContaining(accountId, hash, after, limits.pageRows))
    for (const row of page) {
      if (row.contains !== 1) continue
      const pinned = CID.decode(row.cid)
      if (equalBytes(pinned.multihash.bytes, hash)) continue
      if (pins.length === foundMax) return { pins, more: true, tree }
      pins.push({ cid: pinned.toString(), name: row.name })
    }
    const last = page.at(-1)
    if (last === undefined || page.length < limits.pageRows) return { pins, more: false, tree }
    after = last.cid
    await setImmediate()
  }
  return { pins, more: true, tree }
}
