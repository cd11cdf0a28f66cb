// `cairn verify`: checks a proof bundle offline. It also ships as a single file (src/cairn-verify.ts), for people without Cairn.
// Tested by test/verifier.test.ts
import type { Command } from 'commander'
import { checkBundle, type CheckOptions, describeCheck, jsonOf } from '../check-bundle.ts'
import type { Context, SharedOptions } from '../context.ts'
import { FoundBad, print } from '../report.ts'
import { addSharedOptions } from '../shared-options.ts'

export function defineVerify(command: Command, context: Context): void {
  addSharedOptions(command)
    .argument(
      '<file>',
      'file with a bundle, or with a reply that contains one; - reads standard input',
    )
    .requiredOption('--block <hash>', 'hash of the block that you trust')
    .option('--method <name>', 'method that you sent (from the bundle)')
    .option('--params <json>', 'parameters that you sent, as a JSON array (from the bundle)')
    .option('--result <json>', 'result that you received, to compare')
    .option(
      '--network <name>',
      'network that you mean, for calls and fees, which follow from its rules',
    )
    .option('--blob-fraction <number>', 'blob base fee update fraction of the block (EIP-7840)')
    .option('--genesis <file>', 'genesis file whose fork rules calls follow')
    .addHelpText(
      'after',
      `
Examples:
  cairn proof eth_getBalance 0x391694e7e0b0cce554cb130d723a9d27458f9298 latest > bundle.json
  cairn verify bundle.json --block 0x<64 digits>
  curl … | cairn verify - --block 0x<64 digits>
  cairn verify reply.json --block 0x<64 digits> --method eth_getBalance --params '["0x3916…","latest"]'

The server adds a bundle to its reply if the URL ends in ?proof=1. If the file is a reply, Cairn also compares its result.

The exit code is 1 if the bundle does not prove the answer.`,
    )
    .action(async (file: string, options: SharedOptions & CheckOptions) => {
      const checked = await checkBundle(file, options)
      const text = describeCheck(checked, options.method !== undefined)
      print(context, options.json, jsonOf(checked), text)
      if (!checked.proved) throw new FoundBad()
    })
}
