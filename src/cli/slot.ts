// `cairn slot`: the storage position of an element of a mapping or a dynamic array, for eth_getStorageAt.
// Tested by src/cli/program.test.ts
import type { Command } from 'commander'
import { toHex } from '../base/hex.ts'
import type { Context } from './context.ts'
import { print } from './report.ts'
import { addSharedOptions } from './shared-options.ts'
import { followSteps, parseKey, parseNumber, toWord } from './storage-slot.ts'
import type { Step } from './storage-slot.ts'
import { UsageError } from './usage-error.ts'

type Options = {
  readonly mapping?: bigint
  readonly array?: bigint
  readonly itemSlots?: bigint
  readonly json?: true
}

export function defineSlot(command: Command, context: Context): void {
  // --key, --string and --index are steps in the order they are typed.
  const typed: ((itemSlots: bigint) => Step)[] = []
  addSharedOptions(command)
    .option('--mapping <slot>', 'slot of the mapping variable', numberOf('--mapping'))
    .option('--array <slot>', 'slot of the dynamic array variable', numberOf('--array'))
    .option(
      '--key <key>',
      'address, number, 32 bytes or true|false; again for nested mappings',
      (text) => {
        const key = parseKey(text)
        if (key === null)
          throw new UsageError(
            `--key is "${text}", expected an address, number, 32 bytes or true|false`,
          )
        typed.push(() => ({ kind: 'key', key }))
      },
    )
    .option('--string <key>', 'a key of type string', (text) => {
      typed.push(() => ({ kind: 'key', key: new TextEncoder().encode(text) }))
    })
    .option('--index <number>', 'item of a dynamic array', (text) => {
      const index = numberOf('--index')(text)
      typed.push((itemSlots) => ({ kind: 'index', index, itemSlots }))
    })
    .option(
      '--item-slots <number>',
      'slots that one array item takes (1)',
      numberOf('--item-slots'),
    )
    .addHelpText(
      'after',
      `
Examples:
  cairn slot --mapping 1 --key 0x391694e7e0b0cce554cb130d723a9d27458f9298
  cairn slot --mapping 2 --key 0x391694e7e0b0cce554cb130d723a9d27458f9298 --key 7
  cairn slot --mapping 3 --string alice
  cairn slot --array 5 --index 2 --item-slots 3
  cairn slot --mapping 4 --key 7 --index 0     first item of an array in a mapping

Hex keys are padded on the left; type a bytesN key with its zeros on the right, 32 bytes in all.`,
    )
    .action((options: Options) => {
      const slot = toHex(
        followSteps(
          toWord(baseOf(options, typed.length)),
          typed.map((step) => step(options.itemSlots ?? 1n)),
        ),
      )
      print(context, options.json, { slot }, slot)
    })
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
