// Builds a Merkle Patricia trie (Yellow Paper app. D) from all its pairs in one pass over the sorted keys. Children are written
// into the parent's buffer and replaced by their hash if they have 32 bytes or more.
import { emptyTrieRoot } from './account-state.ts'
import { keccak256 } from '../hash/keccak.ts'
import { Malformed } from './rlp.ts'
import { RlpWriter } from './rlp-writer.ts'
import { nibbleAt, packPath } from './trie-node.ts'

type Pair = readonly [key: Uint8Array, value: Uint8Array]
type Range = { readonly from: number; readonly to: number; readonly depth: number }
type Build = {
  readonly pairs: readonly Pair[]
  readonly writer: RlpWriter
  readonly emit: (hash: Uint8Array, node: Uint8Array) => void
}

/**
 * Keys are used as given: hash them for state and storage tries. `nodes`: the RLP of every node that is not embedded, children
 * before parents, the root last; empty for no pairs. Throws `Malformed` for an empty value or two equal keys.
 */
export function buildTrie(pairs: Iterable<Pair>): {
  root: Uint8Array
  nodes: readonly Uint8Array[]
} {
  const nodes: Uint8Array[] = []
  const root = rootOf(sorted(pairs), (_, node) => nodes.push(node.slice()))
  return { root, nodes }
}

/** Only the root. */
export function trieRoot(pairs: Iterable<Pair>): Uint8Array {
  return rootOf(sorted(pairs), () => {})
}

function sorted(pairs: Iterable<Pair>): Pair[] {
  const list = [...pairs].sort(([a], [b]) => Buffer.compare(a, b))
  list.forEach(([key, value], index) => {
    const before = list[index - 1]
    if (value.length === 0) throw new Malformed('a value that is not empty')
    if (before !== undefined && Buffer.compare(before[0], key) === 0) {
      throw new Malformed('distinct keys')
    }
  })
  return list
}

function rootOf(pairs: readonly Pair[], emit: Build['emit']): Uint8Array {
  if (pairs.length === 0) return emptyTrieRoot
  const build = { pairs, writer: new RlpWriter(), emit }
  writeNode(build, { from: 0, to: pairs.length, depth: 0 })
  const node = build.writer.since(0)
  const root = keccak256(node)
  emit(root, node)
  return root
}

/** Writes the node of the pairs from..to, whose keys share their first `depth` nibbles. */
function writeNode(build: Build, { from, to, depth }: Range): void {
  const { writer } = build
  const mark = writer.mark
  const [key, value] = pairAt(build, from)
  if (to - from === 1) {
    writer.string(value)
    writer.string(packPath(key, depth, key.length * 2, true))
    return writer.closeList(mark)
  }
  const shared = sharedNibbles(key, pairAt(build, to - 1)[0], depth)
  if (shared === depth) return writeBranch(build, { from, to, depth })
  writeChild(build, { from, to, depth: shared })
  writer.string(packPath(key, depth, shared, false))
  writer.closeList(mark)
}

function writeBranch(build: Build, { from, to, depth }: Range): void {
  const { writer } = build
  const mark = writer.mark
  const [key, value] = pairAt(build, from)
  const endsHere = key.length * 2 === depth
  if (endsHere) writer.string(value)
  else writer.byte(0x80)
  const first = endsHere ? from + 1 : from
  let end = to
  for (let nibble = 15; nibble >= 0; nibble -= 1) {
    let start = end
    while (start > first && nibbleAt(pairAt(build, start - 1)[0], depth) === nibble) start -= 1
    if (start === end) writer.byte(0x80)
    else writeChild(build, { from: start, to: end, depth: depth + 1 })
    end = start
  }
  writer.closeList(mark)
}

function writeChild(build: Build, range: Range): void {
  const { writer, emit } = build
  const mark = writer.mark
  writeNode(build, range)
  const node = writer.since(mark)
  if (node.length < 32) return
  const hash = keccak256(node)
  emit(hash, node)
  writer.rewind(mark)
  writer.string(hash)
}

function pairAt(build: Build, index: number): Pair {
  const pair = build.pairs[index]
  if (pair === undefined) throw new RangeError(`no pair ${index}`)
  return pair
}

function sharedNibbles(a: Uint8Array, b: Uint8Array, from: number): number {
  const end = Math.min(a.length, b.length) * 2
  let at = from
  while (at < end && nibbleAt(a, at) === nibbleAt(b, at)) at += 1
  return at
}
