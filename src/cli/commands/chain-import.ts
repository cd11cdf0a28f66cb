// `cairn chain import`: executes and verifies the blocks of a chain file and stores them in the embedded chain. A killed import can
// be repeated.
import type { Command } from 'commander'
import { startChainWorker } from '../../devchain/start-chain-worker.ts'
import type { Context } from '../context.ts'
import type { ChainImportOptions } from '../run-chain-import.ts'
import { addSharedOptions } from '../shared-options.ts'

export function defineChain(command: Command, context: Context): void {
  addSharedOptions(
    command.command('import').description('execute, verify and store the blocks of a file'),
  )
    .requiredOption('--blocks <file>', 'blocks as concatenated RLP, as exported by geth')
    .option(
      '--genesis <file>',
      'genesis.json of the chain (from the settings, else the built-in one)',
    )
    .option('--head <hash>', 'expected hash of the last block, or a file with it (headfcu.json)')
    .addHelpText(
      'after',
      `
Examples:
  cairn chain import --genesis genesis.json --blocks chain.rlp
  cairn chain import --genesis genesis.json --blocks chain.rlp --head headfcu.json --json

Cairn executes each block and compares every root before it stores the block. It does not check consensus (work, votes).
An interrupted import continues where it stopped. Stop the server first.`,
    )
    .action((options: ChainImportOptions) => startImport(context, options))
}

async function startImport(context: Context, options: ChainImportOptions): Promise<void> {
  // Start the worker first: it loads longer than everything else, and loads in parallel with the settings and the data folder.
  const worker = startChainWorker()
  try {
    const { runChainImport } = await import('../run-chain-import.ts')
    await runChainImport(context, options, worker)
  } finally {
    await worker.terminate()
  }
}
