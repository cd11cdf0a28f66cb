// Yields every link of a DAG in depth-first order, without recursion. Without `unique` a small DAG can have a huge number of paths,
// so links are counted.
// Tested by src/kubo/commands/files/listings.test.ts
import type { CID } from 'multiformats/cid'
import { setImmediate } from 'node:timers/promises'
import { Fault } from '../../base/fault.ts'
import { toBareHex } from '../../base/hex.ts'
import type { ReadBlock } from './blocks.ts'
import { linksOf, type NamedLink, openLinksMax } from './links.ts'
import type { Reference } from './listed.ts'

type Level = { readonly from: CID; readonly links: readonly NamedLink[]; next: number }

/** Maximum number of levels below the root: only malicious DAGs are deeper, and each level holds its links in memory. */
const levelsMax = 1024
/** Links that are yielded before other work runs. */
const turnLinks = 128

/** `Files.refs`. Throws `command_failed` past `linksMax` links, past 1024 levels and with too many links on one path. */
export async function* walkReferences(
  root: CID,
  how: { readonly depthMax: number | null; readonly unique: boolean },
  linksMax: number,
  read: ReadBlock,
): AsyncGenerator<Reference> {
  const { unique } = how
  const depthMax = how.depthMax ?? Number.POSITIVE_INFINITY
  if (depthMax < 1) return
  const yielded = new Set<string>()
  // The least depth at which each node's links were yielded: with limited levels, a visit at a lower depth may yield more.
  const depths = new Map<string, number>()
  const top = await enter(root)
  const levels: Level[] = [top]
  let openLinks = top.links.length
  let count = 0
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const link = level.links[level.next]
    if (link === undefined) {
      levels.pop()
      openLinks -= level.links.length
      continue
    }
    level.next += 1
    count += 1
    if (count > linksMax) throw failed(`DAG has more than ${linksMax} links`)
    if (count % turnLinks === 0) await setImmediate()
    const key = unique ? toBareHex(link.cid.bytes) : ''
    if (!unique || !yielded.has(key)) yield { from: level.from, to: link.cid, name: link.name }
    yielded.add(key)
    if (levels.length >= depthMax) continue
    if (unique) {
      const before = depths.get(key)
      if (before !== undefined && (how.depthMax === null || before <= levels.length)) continue
      depths.set(key, levels.length)
    }
    if (levels.length >= levelsMax) throw failed(`DAG is deeper than ${levelsMax} levels`)
    const below = await enter(link.cid)
    openLinks += below.links.length
    if (openLinks > openLinksMax) throw failed('DAG has too many links on one path')
    levels.push(below)
  }

  async function enter(from: CID): Promise<Level> {
    return { from, links: linksOf(from, await read(from)), next: 0 }
  }
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
