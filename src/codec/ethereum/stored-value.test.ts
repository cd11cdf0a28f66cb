import { deepEqual, equal, rejects, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { parseStorageLayout, StorageLayoutError } from './storage-layout.ts'
import { placeOf, splitPath } from './storage-path.ts'
import { readStored } from './stored-value.ts'

const type = (label: string, numberOfBytes: string, more: object = {}) => ({
  encoding: 'inplace',
  label,
  numberOfBytes,
  ...more,
})
const layout = parseStorageLayout({
  storageLayout: {
    storage: [
      { label: 'owner', slot: '0', offset: 0, type: 'address' },
      { label: 'open', slot: '0', offset: 20, type: 'bool' },
      { label: 'held', slot: '1', offset: 0, type: 'map' },
      { label: 'words', slot: '2', offset: 0, type: 'list' },
      { label: 'name', slot: '3', offset: 0, type: 'string' },
      { label: 'four', slot: '4', offset: 0, type: 'fixed' },
    ],
    types: {
      address: type('address', '20'),
      bool: type('bool', '1'),
      uint: type('uint256', '32'),
      map: type('mapping(address => uint256)', '32', {
        encoding: 'mapping',
        key: 'address',
        value: 'uint',
      }),
      list: type('uint256[]', '32', { encoding: 'dynamic_array', base: 'uint' }),
      string: type('string', '32', { encoding: 'bytes' }),
      fixed: type('uint256[4]', '128', { base: 'uint' }),
    },
  },
})

const word = (value: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'))

test('an invalid path is refused with the step and the available names', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['other', /no variable other; there are owner, open, held/],
    ['owner.x', /address has no \.x/],
    ['owner[0]', /address has no \[0\]/],
    ['held[5]', /expected a key of type address/],
    ['held["0x"]', /expected a key of type address/],
    ['words[-1]', /expected the number of an item/],
    ['four[4]', /uint256\[4\] has no item 4/],
    ['', /begins with a variable/],
    ['[1]', /begins with a variable/],
    ['owner..x', /is no step/],
    ['words[1', /is no step/],
    ['words[1]owner', /is no step/],
    [`words${'[0]'.repeat(40)}`, /at most 32 steps/],
    ['x'.repeat(3000), /at most 2000 characters/],
  ]
  for (const [path, why] of refused) throws(() => placeOf(layout, path), why, path)
})

test('a key in quotes may hold brackets, dots and quotes', () => {
  deepEqual(
    splitPath('a["x].[\\"y"].b').map(({ text }) => text),
    ['a', '"x].[\\"y"', 'b'],
  )
})

test('what is no layout is refused, and a type that is missing is named', () => {
  for (const json of [null, [], {}, { storage: 1, types: {} }, { contracts: {} }]) {
    throws(() => parseStorageLayout(json), StorageLayoutError)
  }
  const storage = [{ label: 'a', slot: '0', offset: 0, type: 'nothing' }]
  throws(() => parseStorageLayout({ storage, types: {} }), /nothing is named and not there/)
  throws(
    () =>
      parseStorageLayout({
        storage: [{ label: 'a', slot: '0', offset: 40, type: 't' }],
        types: {},
      }),
    /expected variables/,
  )
  deepEqual(parseStorageLayout({ storage: [], types: null }).variables, [])
})

test('an array of more items than anybody could read is cut, and so is a string', async () => {
  let reads = 0
  const read = async (slots: readonly bigint[]) => {
    reads += slots.length
    return slots.map((slot) =>
      slot === 2n || slot === 3n ? word((1n << 64n) + 1n) : word(slot % 7n),
    )
  }
  const list = await readStored(layout, placeOf(layout, 'words'), read)
  equal(list.cut, true)
  equal((list.value as readonly unknown[]).length, reads - 1)
  equal(reads, 512)
  equal((await readStored(layout, placeOf(layout, 'name'), read)).cut, true)
  equal(reads, 1024)
})

test('a word that is not 32 bytes is refused', async () => {
  const read = async () => [new Uint8Array(31)]
  await rejects(readStored(layout, placeOf(layout, 'owner'), read), /without its 32 bytes/)
})
