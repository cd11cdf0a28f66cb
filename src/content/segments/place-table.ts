// Locations of blocks by multihash, in a hash table of fixed size. Only blocks stored whole in a log and named by
// sha2-256.
import { randomInt } from 'node:crypto'
import { isSha256Name, sha256NameBytes as nameBytes } from '../../codec/ipld/multihash.ts'
import { verbatim, type BlockPlace, type BlockValues } from '../../tables/blocks.ts'

export type PlaceTable = {
  /** Entries that were added. */
  readonly size: number
  /** `name`: a multihash of 34 bytes; of one that is known already the later place counts. Throws when it is full. */
  add(name: Uint8Array, file: number, at: number, bytes: number): void
  has(multihash: Uint8Array): boolean
  find(multihash: Uint8Array): BlockPlace | null
  /** The entries in the order of their names, in which an index takes them quickest. */
  order(): Float64Array
  /** Some of an order. Their names are views. */
  rows(order: Float64Array, from: number, to: number): readonly BlockValues[]
  clear(): void
}

const digestAt = 2
/** Numbers of an entry: file, place, length. */
const width = 3
/** An order is sorted by so much of the digest, above the number of the entry. */
const orderBits = 31

/** `entriesMax`: how many it takes, a power of two up to 2^20; 66 bytes each once it is used. */
export function createPlaceTable(entriesMax: number): PlaceTable {
  const slotsMask = entriesMax * 2 - 1
  if ((entriesMax & (entriesMax - 1)) !== 0 || entriesMax < 1 || entriesMax > 2 ** 20) {
    throw new RangeError(`${entriesMax} entries are no table`)
  }
  /** Random, so that an attacker cannot choose names that fall on one slot. */
  const seed = randomInt(2 ** 32)
  let made: {
    readonly names: Uint8Array
    readonly numbers: Float64Array
    readonly slots: Int32Array
  } | null = null
  let size = 0

  function slotOf(name: Uint8Array): number {
    const [one = 0, two = 0, three = 0, four = 0] = [name[2], name[3], name[4], name[5]]
    const [five = 0, six = 0, seven = 0, eight = 0] = [name[6], name[7], name[8], name[9]]
    const low = Math.imul(((one << 24) | (two << 16) | (three << 8) | four) ^ seed, 0x9e3779b1)
    const all = Math.imul(((five << 24) | (six << 16) | (seven << 8) | eight) ^ low, 0x85ebca6b)
    return (all ^ (all >>> 15)) & slotsMask
  }

  function isAt(names: Uint8Array, entry: number, name: Uint8Array): boolean {
    const from = entry * nameBytes
    for (let at = digestAt; at < nameBytes; at += 1) {
      if (names[from + at] !== name[at]) return false
    }
    return true
  }

  /** The newest one of that name; -1: none. */
  function entryOf(name: Uint8Array): number {
    if (size === 0 || made === null || !isSha256Name(name)) return -1
    const { names, slots } = made
    for (let slot = slotOf(name); ; slot = (slot + 1) & slotsMask) {
      const entry = (slots[slot] ?? 0) - 1
      if (entry === -1) return -1
      if (isAt(names, entry, name)) return entry
    }
  }

  return {
    get size() {
      return size
    },
    add(name, file, at, bytes) {
      made ??= {
        names: new Uint8Array(entriesMax * nameBytes),
        numbers: new Float64Array(entriesMax * width),
        slots: new Int32Array(entriesMax * 2),
      }
      const { names, numbers, slots } = made
      const known = entryOf(name)
      const entry = known === -1 ? size : known
      if (known === -1) {
        if (size === entriesMax) throw new RangeError('the table is full')
        for (let index = 0; index < nameBytes; index += 1) {
          names[entry * nameBytes + index] = name[index] ?? 0
        }
        let slot = slotOf(name)
        while (slots[slot] !== 0) slot = (slot + 1) & slotsMask
        slots[slot] = entry + 1
        size += 1
      }
      numbers[entry * width] = file
      numbers[entry * width + 1] = at
      numbers[entry * width + 2] = bytes
    },
    has(multihash) {
      return entryOf(multihash) !== -1
    },
    find(multihash) {
      const entry = entryOf(multihash)
      if (entry === -1 || made === null) return null
      const { numbers } = made
      const file = numbers[entry * width] ?? 0
      const at = numbers[entry * width + 1] ?? 0
      const bytes = numbers[entry * width + 2] ?? 0
      return { file, at, bytes, form: verbatim, size: bytes }
    },
    order() {
      const all = new Float64Array(size)
      if (made === null) return all
      const view = new DataView(made.names.buffer)
      for (let entry = 0; entry < size; entry += 1) {
        const start = view.getUint32(entry * nameBytes + digestAt) >>> (32 - orderBits)
        all[entry] = start * entriesMax + entry
      }
      return all.sort()
    },
    rows(order, from, to) {
      const rows: BlockValues[] = []
      if (made === null) return rows
      const { names, numbers } = made
      for (let place = from; place < Math.min(to, order.length); place += 1) {
        const entry = (order[place] ?? 0) % entriesMax
        const file = numbers[entry * width] ?? 0
        const at = numbers[entry * width + 1] ?? 0
        const bytes = numbers[entry * width + 2] ?? 0
        const hash = names.subarray(entry * nameBytes, (entry + 1) * nameBytes)
        rows.push([hash, file, at, bytes, verbatim, bytes])
      }
      return rows
    },
    clear() {
      if (size > 0) made?.slots.fill(0)
      size = 0
    },
  }
}
