// `cairn verify`: proves an answer from its bundle, offline. Beside the program it is shipped as one file of its own
// (src/cairn-verify.ts), for people who have only a bundle.
// Tested by test/verifier.test.ts
import type { Command } from 'commander'
import { checkBundle, type CheckOptions, describeCheck, jsonOf } from './check-bundle.ts'
import type { Context, SharedOptions } from './context.ts'
import { FoundBad, print } from './report.ts'
import { addSharedOptions } from './shared-options.ts'

export function defineVerify(command: Command, context: Context): void {
  addSharedOptions(command)
    .argument('<file>', 'a bundle, or a whole reply with one; - is standard input')
    .requiredOption('--block <hash>', 'the block you trust: all else is worked out from it')
    .option('--method <name>', 'the request you sent; else the one that the bundle names')
    .option('--params <json>', 'its params, a JSON array')
    .option('--result <json>', 'the result you were given, to be compared')
    .option('--blob-fraction <number>', "the block's update fraction of blob fees (EIP-7840)")
    .addHelpText(
      'after',
      `
Examples:
  cairn proof eth_getBalance 0x391694e7e0b0cce554cb130d723a9d27458f9298 latest > bundle.json
  cairn verify bundle.json --block 0x<64 digits>
  curl … | cairn verify - --block 0x<64 digits>
  cairn verify reply.json --block 0x<64 digits> --method eth_getBalance --params '["0x3916…","latest"]'

A reply with its bundle is what a server gives when the URL ends in ?proof=1.

Ends with 1 when the bundle does not prove the answer. Of a whole reply the result is compared too.`,
    )
    .action(async (file: string, options: SharedOptions & CheckOptions) => {
      const checked = await checkBundle(file, options)
      const text = describeCheck(checked, options.method !== undefined)
      print(context, options.json, jsonOf(checked), text)
      if (!checked.proved) throw new FoundBad()
    })
}
