// `cairn slot`: computes the storage slot of a contract's value for eth_getStorageAt, from solc's storage layout and a path, or
// from the slot of a mapping or array and its keys.
// Tested by src/cli/program.test.ts
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { toHex } from '../../base/hex.ts'
import type { Context } from '../context.ts'
import { print } from '../report.ts'
import { addSharedOptions } from '../shared-options.ts'
import { parseStorageLayout } from '../../codec/ethereum/storage-layout.ts'
import { placeOf } from '../../codec/ethereum/storage-path.ts'
import { followSteps, parseKey, parseNumber, toWord } from '../../codec/ethereum/storage-slot.ts'
import type { Step } from '../../codec/ethereum/storage-slot.ts'
import { UsageError } from '../usage-error.ts'

type Options = {
  readonly mapping?: bigint
  readonly array?: bigint
  readonly itemSlots?: bigint
  readonly json?: true
}

export function defineSlot(command: Command, context: Context): void {
  // --key, --string and --index are steps, in typed order.
  const typed: ((itemSlots: bigint) => Step)[] = []
  addSharedOptions(command)
    .argument('[layout]', "file with solc's storageLayout, or an artifact that contains one")
    .argument('[path]', 'variable and path into it: balances[0xabc…], order.at.x, list[2]')
    .option('--mapping <slot>', 'slot of the mapping variable', numberOf('--mapping'))
    .option('--array <slot>', 'slot of the dynamic array variable', numberOf('--array'))
    .option(
      '--key <key>',
      'mapping key: address, number, 32 bytes or true|false; repeat for nested mappings',
      (text) => {
        const key = parseKey(text)
        if (key === null)
          throw new UsageError(
            `--key is "${text}", expected an address, number, 32 bytes or true|false`,
          )
        typed.push(() => ({ kind: 'key', key }))
      },
    )
    .option('--string <key>', 'mapping key of type string', (text) => {
      typed.push(() => ({ kind: 'key', key: new TextEncoder().encode(text) }))
    })
    .option('--index <number>', 'index of the array element', (text) => {
      const index = numberOf('--index')(text)
      typed.push((itemSlots) => ({ kind: 'index', index, itemSlots }))
    })
    .option('--item-slots <number>', 'slots per array element (1)', numberOf('--item-slots'))
    .addHelpText(
      'after',
      `
Examples:
  cairn slot layout.json owner
  cairn slot out/Token.sol/Token.json 'balances[0x391694e7e0b0cce554cb130d723a9d27458f9298]'
  cairn slot --mapping 1 --key 0x391694e7e0b0cce554cb130d723a9d27458f9298
  cairn slot --mapping 2 --key 0x391694e7e0b0cce554cb130d723a9d27458f9298 --key 7
  cairn slot --mapping 3 --string alice
  cairn slot --array 5 --index 2 --item-slots 3
  cairn slot --mapping 4 --key 7 --index 0     first element of an array in a mapping

Cairn pads hex keys on the left. For a key of type bytesN, add zeros on the right up to 32 bytes.`,
    )
    .action(async (file: string | undefined, path: string | undefined, options: Options) => {
      if (file !== undefined) return await printPlace(context, options, file, path)
      const slot = toHex(
        followSteps(
          toWord(baseOf(options, typed.length)),
          typed.map((step) => step(options.itemSlots ?? 1n)),
        ),
      )
      print(context, options.json, { slot }, slot)
    })
}

async function printPlace(
  context: Context,
  options: Options,
  file: string,
  path: string | undefined,
): Promise<void> {
  if (path === undefined) throw new UsageError('no variable: add its path after the file')
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : ''}`)
  })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new UsageError(`${file} is not JSON`)
  }
  const place = placeOf(parseStorageLayout(json), path)
  const slot = toHex(toWord(place.slot))
  const { offset, label } = place
  const within = offset === 0 ? '' : `, ${offset} bytes from its low end`
  print(context, options.json, { slot, offset, type: label }, `${slot}  (${label}${within})`)
}

function baseOf({ mapping, array }: Options, steps: number): bigint {
  if (mapping !== undefined && array === undefined && steps > 0) return mapping
  if (array !== undefined && mapping === undefined && steps > 0) return array
  throw new UsageError('slot needs --mapping with a --key, or --array with an --index')
}

function numberOf(flag: string): (text: string) => bigint {
  return (text) => {
    const value = parseNumber(text)
    if (value === null)
      throw new UsageError(`${flag} is "${text}", expected a whole number below 2^256`)
    return value
  }
}
