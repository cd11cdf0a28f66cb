// Cuts a byte stream into chunks of a fixed size, or at boundaries determined by the content. Buzhash: a cyclic polynomial over the
// last 32 bytes ends a chunk where its low 17 bits are zero. Rabin: a rolling fingerprint over the last 16 bytes, modulo a
// polynomial over GF(2). Holds one chunk at most; the syntax of chunkers is in kubo/params/import-options.ts.
// Tested by src/ipfs/import/chunk.test.ts
import { type Yielder, createYielder } from '../../base/yielder.ts'

/** How a file is cut into chunks. `bytes`: of each chunk but the last. Validated in kubo/params/import-options.ts. */
export type Chunker =
  | { readonly kind: 'size'; readonly bytes: number }
  | ({ readonly kind: 'rabin' } & RabinBounds)
  | { readonly kind: 'buzhash' }

const firstBytes = 65536
/** Bytes that are scanned before yielding to other work: about 3 ms at 150 MB/s. */
export const turnBytes = 512 * 1024

/**
 * Yields new arrays that together are the whole stream; none for an empty stream. Bytes of the source are copied immediately, so it
 * may reuse its buffers. `yieldAfter`: counts bytes and yields after `turnBytes`.
 */
export function chunksOf(
  source: AsyncIterable<Uint8Array>,
  chunker: Chunker,
  yieldAfter: Yielder = createYielder(turnBytes),
): AsyncGenerator<Uint8Array> {
  if (chunker.kind === 'size') {
    return cutChunks(source, createSizeCut(chunker.bytes), chunker.bytes)
  }
  return chunker.kind === 'rabin'
    ? cutChunks(turnsOf(source, yieldAfter), createRabin(chunker), chunker.max)
    : cutChunks(turnsOf(source, yieldAfter), createBuzhash(), buzhashBounds.max)
}

/** Finds chunk boundaries from the content of one stream. The last chunk of the stream may have any length. */
interface BoundaryFinder {
  /**
   * Scans `bytes`, which follow the bytes of the previous call. Returns how many of them complete the chunk; null: the
   * chunk continues after them.
   */
  find(bytes: Uint8Array): number | null
}

// oxfmt-ignore
const byteHashes = Uint32Array.of(
  0x6236e7d5, 0x10279b0b, 0x72818182, 0xdc526514, 0x2fd41e3d, 0x777ef8c8, 0x83ee5285, 0x2c8f3637,
  0x2f049c1a, 0x57df9791, 0x9207151f, 0x9b544818, 0x74eef658, 0x2028ca60, 0x0271d91a, 0x27ae587e,
  0xecf9fa5f, 0x236e71cd, 0xf43a8a2e, 0x0bb13380, 0x9e57912c, 0x89a26cdb, 0x9fcf3d71, 0xa86da6f1,
  0x9c49f376, 0x346aecc7, 0xf094a9ee, 0xea99e9cb, 0xb01713c6, 0x088acffb, 0x2960a0fb, 0x344a626c,
  0x7ff22a46, 0x6d7a1aa5, 0x6a714916, 0x41d454ca, 0x8325b830, 0x0b65f563, 0x447fecca, 0xf9d0ea5e,
  0xc1d9d3d4, 0xcb5ec574, 0x55aae902, 0x86edc0e7, 0x0d3a9e33, 0xe70dc1e1, 0xe3c5f639, 0x9b43140a,
  0xc6490ac5, 0x5e4030fb, 0x8e976dd5, 0xa87468ea, 0xf830ef6f, 0xcc1ed5a5, 0x611f4e78, 0xddd11905,
  0xf2613904, 0x566c67b9, 0x905a5ccc, 0x7b37b3a4, 0x4b53898a, 0x6b8fd29d, 0xaad81575, 0x511be414,
  0x3cfac1e7, 0x8029a179, 0xd40efeda, 0x07380e02, 0xdc9beffd, 0x2d049082, 0x99bc7831, 0xff5002a8,
  0x21ce7646, 0x01cd049b, 0x0f43994f, 0xc3c6c5a5, 0xbbda5f50, 0x0ec15ec7, 0x9adb19b6, 0x0c1e80b9,
  0xb9b52968, 0xae162419, 0x2542b405, 0x91a42e9d, 0x6be0f668, 0x6ed7a6b9, 0xbc2777b4, 0xe162ce56,
  0x4266aad5, 0x60fdb704, 0x66f832a5, 0x9595f6ca, 0xfee83ced, 0x55228d99, 0x12bf0e28, 0x66896459,
  0x0789afda, 0x0282baa8, 0x2367a343, 0x591491b0, 0x2ff1a4b1, 0x410739b6, 0x9b7055a0, 0x2e0eb229,
  0x24fc8252, 0x3327d3df, 0xb0782669, 0x1c62e069, 0x7f503101, 0xf50593ae, 0xd9eb275d, 0xe00eb678,
  0x5917ccde, 0x97b9660a, 0xdd06202d, 0xed229e22, 0xa9c735bf, 0xd6316fe6, 0x6fc72e4c, 0x0206dfa2,
  0xd6b15c5a, 0x69d87b49, 0x09c97745, 0x13445d61, 0x35a975aa, 0x859aa9b9, 0x65380013, 0xd1fb6391,
  0xc29255fd, 0x784a3b91, 0xb9e74c26, 0x63ce4d40, 0xc07cbe9e, 0xe6e4529e, 0x0fb3632f, 0x9438d9c9,
  0x682f94a8, 0xf8fd4611, 0x257ec1ed, 0x475ce3d6, 0x60ee2db1, 0x2afab002, 0x2b9e4878, 0x86b340de,
  0x1482fdca, 0xfe41b3bf, 0xd4a412b0, 0xe09db98c, 0xc1af5d53, 0x7e55e25f, 0xd3346b38, 0xb7a12cbd,
  0x9c6827ba, 0x71f78bee, 0x8c3a0f52, 0x150491b0, 0xf26de912, 0x233e3a4e, 0xd309ebba, 0xa0a9e0ff,
  0xca2b5921, 0xeeb9893c, 0x33829e88, 0x9870cc2a, 0x23c4b9d0, 0xeba32ea3, 0xbdac4d22, 0x3bc8c44c,
  0x1e8d0397, 0xf9327735, 0x783b009f, 0x0eb83742, 0x2621dc71, 0xed017d03, 0x5c760aa1, 0x5a69814b,
  0x96e3047f, 0xa93c9cde, 0x615c86f5, 0xb4322aa5, 0x4225534d, 0x0d2e2de3, 0xccfccc4b, 0x0bac2a57,
  0xf0a06d04, 0xbc78d737, 0xf2d1f766, 0xf5a7953c, 0xbcdfda85, 0x5213b7d5, 0xbce8a328, 0xd38f5f18,
  0xdb094244, 0xfe571253, 0x317fa7ee, 0x4a324f43, 0x3ffc39d9, 0x51b3fa8e, 0x7a4bee9f, 0x78bbc682,
  0x9f5c0350, 0x02fe286c, 0x245ab686, 0xed6bf7d7, 0x0ac4988a, 0x3fe010fa, 0xc65fe369, 0xa45749cb,
  0x2b84e537, 0xde9ff363, 0x20540f9a, 0xaa8c9b34, 0x5bc476b3, 0x1d574bd7, 0x929100ad, 0x4721de4d,
  0x27df1b05, 0x58b18546, 0xb7e76764, 0xdf904e58, 0x97af57a1, 0xbd4dc433, 0xa6256dfd, 0xf63998f3,
  0xf1e05833, 0xe20acf26, 0xf57fd9d6, 0x90300b4d, 0x89df4290, 0x68d01cbc, 0xcf893ee3, 0xcc42a046,
  0x778e181b, 0x67265c76, 0xe981a4c4, 0x82991da1, 0x708f7294, 0xe6e2ae62, 0xfc441870, 0x95e1b0b6,
  0x0445f825, 0x5a93b47f, 0x5e9cf4be, 0x84da71e7, 0x9d9582b0, 0x9bf835ef, 0x591f61e2, 0x43325985,
  0x5d2de32e, 0x8d8fbf0f, 0x95b30f38, 0x07ad5b6e, 0x4e934edf, 0x3cd4990e, 0x9053e259, 0x5c41857d,
)

/** Bytes of a chunk that is not the last. */
export const buzhashBounds = { min: 128 * 1024, max: 512 * 1024 } as const

const buzhashWindowBytes = 32
const mask = 2 ** 17 - 1

function createBuzhash(): BoundaryFinder {
  const { min, max } = buzhashBounds
  const window = new Uint8Array(buzhashWindowBytes)
  let state = 0
  let count = 0

  return {
    find(bytes) {
      // The state covers the 32 bytes before a position: bytes before `min - 32` need no scan.
      let at = Math.max(0, Math.min(min - buzhashWindowBytes - count, bytes.length))
      count += at
      for (; at < bytes.length; at += 1) {
        if (count >= min && ((state & mask) === 0 || count >= max)) {
          state = 0
          count = 0
          return at
        }
        const byte = bytes[at] as number
        const place = count % buzhashWindowBytes
        state = (state << 1) | (state >>> 31)
        // A rotation by 32 bits changes nothing, so the leaving byte is removed with the value that it was added with.
        if (count >= min) state ^= byteHashes[window[place] as number] as number
        state ^= byteHashes[byte] as number
        window[place] = byte
        count += 1
      }
      return null
    },
  }
}

/** Bytes of a chunk: at least `min` (16 or more), about `average`, at most `max`. */
export type RabinBounds = { readonly min: number; readonly average: number; readonly max: number }

const polynomial = 17_437_180_132_763_653n
const degree = 53n
const rabinWindowBytes = 16

// Fingerprints have 53 bits. They are stored as two halves of 32 bits, because numbers of JavaScript have no 64-bit shifts.
type Table = { readonly high: Uint32Array; readonly low: Uint32Array }

function createRabin({ min, average, max }: RabinBounds): BoundaryFinder {
  const leaving = tableOf((byte) => remainder(BigInt(byte) << BigInt((rabinWindowBytes - 1) * 8)))
  const wrapping = tableOf((byte) => {
    const high = BigInt(byte) << degree
    return remainder(high) | high
  })
  const mask = 2 ** Math.floor(Math.log2(average)) - 1
  const window = new Uint8Array(rabinWindowBytes)
  let high = 0
  let low = 0
  let oldest = 0
  let count = 0
  let unseen = 0
  start()

  function start(): void {
    window.fill(0)
    high = 0
    low = 0
    oldest = 0
    count = 0
    unseen = min - rabinWindowBytes
    slide(1)
  }

  function slide(byte: number): void {
    const out = window[oldest] as number
    window[oldest] = byte
    oldest = (oldest + 1) % rabinWindowBytes
    high ^= leaving.high[out] as number
    low ^= leaving.low[out] as number
    const index = (high >>> 13) & 0xff
    high = ((high << 8) | (low >>> 24)) ^ (wrapping.high[index] as number)
    low = ((low << 8) | byte) ^ (wrapping.low[index] as number)
  }

  return {
    find(bytes) {
      // No chunk ends before `min`, so only the window before it needs a scan.
      let at = Math.min(unseen, bytes.length)
      unseen -= at
      count += at
      while (at < bytes.length) {
        slide(bytes[at] as number)
        at += 1
        count += 1
        if (count >= min && ((low & mask) === 0 || count >= max)) {
          start()
          return at
        }
      }
      return null
    },
  }
}

function tableOf(entry: (byte: number) => bigint): Table {
  const high = new Uint32Array(256)
  const low = new Uint32Array(256)
  for (let byte = 0; byte < 256; byte += 1) {
    const value = entry(byte)
    high[byte] = Number(value >> 32n)
    low[byte] = Number(value & 0xffff_ffffn)
  }
  return { high, low }
}

/** Remainder of the polynomial whose coefficients are the bits of `value`. */
function remainder(value: bigint): bigint {
  let rest = value
  for (let length = bitLength(rest); length > degree; length = bitLength(rest)) {
    rest ^= polynomial << (length - 1n - degree)
  }
  return rest
}

function bitLength(value: bigint): bigint {
  return BigInt(value === 0n ? 0 : value.toString(2).length)
}

/** `bytesMax`: largest chunk. */
async function* cutChunks(
  source: AsyncIterable<Uint8Array>,
  finder: BoundaryFinder,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let buffer = new Uint8Array(0)
  let filled = 0
  let several = false
  for await (const piece of source) {
    let at = 0
    while (at < piece.length) {
      const rest = piece.subarray(at)
      const cut = finder.find(rest)
      const take = cut ?? rest.length
      if (filled + take > buffer.length)
        buffer = grown(buffer, filled, several ? bytesMax : filled + take, bytesMax)
      buffer.set(rest.subarray(0, take), filled)
      filled += take
      at += take
      if (cut !== null) {
        yield buffer.subarray(0, filled)
        buffer = new Uint8Array(0)
        filled = 0
        several = true
      }
    }
  }
  if (filled > 0) yield buffer.slice(0, filled)
}

function createSizeCut(size: number): BoundaryFinder {
  let left = size
  return {
    find(bytes) {
      if (bytes.length < left) {
        left -= bytes.length
        return null
      }
      const cut = left
      left = size
      return cut
    },
  }
}

/** Splits the stream into pieces of at most one time slice, and yields to other work between them. */
async function* turnsOf(
  source: AsyncIterable<Uint8Array>,
  yieldAfter: Yielder,
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    for (let at = 0; at < piece.length; at += turnBytes) {
      const part = piece.subarray(at, at + turnBytes)
      yield part
      const turn = yieldAfter(part.length)
      if (turn !== null) await turn
    }
  }
}

/**
 * Doubles the array, so that a small file needs little memory and many small pieces cost no more than their bytes. From the second
 * chunk on the caller requests the full size: otherwise the outgrown arrays would be most of the garbage of an upload.
 */
function grown(
  buffer: Uint8Array,
  filled: number,
  needed: number,
  bytesMax: number,
): Uint8Array<ArrayBuffer> {
  const target = Math.min(bytesMax, Math.max(needed, buffer.length * 2, firstBytes))
  const larger = new Uint8Array(Buffer.allocUnsafeSlow(target).buffer)
  larger.set(buffer.subarray(0, filled))
  return larger
}
