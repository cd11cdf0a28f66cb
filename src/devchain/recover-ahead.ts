// Recovers the keys behind the first transactions of a chain file while the chain thread starts and runs: on the thread
// that waits for it. What is not here in time, or is wrong with the file, is the chain thread's to work out or to say.
// Tested by src/devchain/recover-ahead.test.ts
import { open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import { splitBlocks } from '../codec/ethereum/block.ts'
import { decodeHeader } from '../codec/ethereum/header.ts'
import { decodeEntries } from '../codec/ethereum/list.ts'
import { type Signer, recoverSigner } from '../codec/ethereum/sender.ts'
import { decodeTransaction } from '../codec/ethereum/transaction.ts'

/** Of the file's start; and of its transactions, for what is recovered waits in the thread's memory. */
const aheadBytesMax = 4 * 1024 * 1024
const signersMax = 4096

/**
 * Sends each block's signers (`Signer[]`) to `port`, of blocks after `number`; ends early when `isOver` says so. Closes the
 * port; never rejects.
 */
export async function recoverAhead(
  path: string,
  { after, port, isOver }: { after: bigint; port: MessagePort; isOver: () => boolean },
): Promise<void> {
  let room = signersMax
  try {
    for (const block of splitBlocks(await readStart(path))) {
      if (decodeHeader(block.header).number <= after) continue
      const entries = decodeEntries(block.transactions).slice(0, room)
      room -= entries.length
      const signers: Signer[] = entries.map((raw) => recoverSigner(decodeTransaction(raw)))
      if (signers.length > 0) port.postMessage(signers)
      await setImmediate()
      if (room === 0 || isOver()) break
    }
  } catch {
    // The last block is cut off where reading ended, or the chain thread will say what is wrong.
  } finally {
    port.close()
  }
}

async function readStart(path: string): Promise<Uint8Array> {
  await using file = await open(path)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(aheadBytesMax), 0, aheadBytesMax, 0)
  return buffer.subarray(0, bytesRead)
}
