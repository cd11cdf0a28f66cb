// `cairn chain import`: executes and verifies the blocks of a chain file and keeps them in the embedded chain.
// Can be killed at any time and run again.
import type { Command } from 'commander'
import { startChainWorker } from '../ethereum/embedded/start-chain-worker.ts'
import type { Context } from './context.ts'
import type { ChainImportOptions } from './run-chain-import.ts'
import { addSharedOptions } from './shared-options.ts'

export function defineChain(command: Command, context: Context): void {
  addSharedOptions(command.command('import').description('execute, verify and keep blocks'))
    .requiredOption('--blocks <file>', 'blocks, RLP one after another, as geth exports them')
    .option(
      '--genesis <file>',
      'genesis.json of the chain (as the settings say, else the built-in)',
    )
    .option('--head <hash>', 'hash the chain must end at, or a file with it (headfcu.json)')
    .addHelpText(
      'after',
      `
Examples:
  cairn chain import --genesis genesis.json --blocks chain.rlp
  cairn chain import --genesis genesis.json --blocks chain.rlp --head headfcu.json --json

Each block is executed and every root compared before it is kept; consensus (work, votes) is not judged. Killed
and run again, it goes on where it stopped. The server must be stopped.`,
    )
    .action((options: ChainImportOptions) => startImport(context, options))
}

async function startImport(context: Context, options: ChainImportOptions): Promise<void> {
  // It takes longest to load: longer than all else here, and the settings and the folder behind it.
  const worker = startChainWorker()
  try {
    const { runChainImport } = await import('./run-chain-import.ts')
    await runChainImport(context, options, worker)
  } finally {
    await worker.terminate()
  }
}
