// Plain heads that were read before, known again by their bytes whichever connection they come over: a proxy in front
// sends the calls of many callers over few connections, so that heads take turns on each.
import { createLruCache } from '../../base/lru-cache.ts'
import type { PlainHead } from './plain-head.ts'

type ReadHead = (bytes: Buffer) => PlainHead | null

/** Of all that is remembered. */
const bytesMax = 1_048_576
/** Longer heads are read anew. */
const headBytesMax = 1_024
/** What an entry costs beside its text: a head with its target and headers. */
const entryBytes = 1_000
/** One in so many unknown heads is remembered: soon one that comes often, seldom one that never comes again. */
const share = 32

const headEnd = Buffer.from('\r\n\r\n', 'latin1')

/** `readHead` with a memory. Heads that bring a secret are not remembered: it does not outlive its connection. */
export function rememberHeads(readHead: ReadHead): ReadHead {
  const heads = createLruCache<PlainHead>({
    sizeMax: bytesMax,
    sizeOf: (text) => text.length + entryBytes,
  })
  let unknown = 0

  return (bytes) => {
    const end = bytes.indexOf(headEnd) + headEnd.length
    if (end < headEnd.length || end > headBytesMax) return readHead(bytes)
    const text = bytes.toString('latin1', 0, end)
    const known = heads.find(text)
    if (known !== null) return known
    const head = readHead(bytes)
    if (head === null || head.bytes !== end || head.headers.authorization !== undefined) return head
    if (unknown++ % share === 0) heads.add(text, head)
    return head
  }
}
