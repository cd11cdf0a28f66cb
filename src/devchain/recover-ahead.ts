// Recovers the signers of the first transactions of a chain file, in the thread that waits for the chain thread, while that one
// starts and runs. The chain thread recovers all other signers itself and reports any error in the file.
// Tested by src/devchain/recover-ahead.test.ts
import { open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import { splitBlocks } from '../codec/ethereum/block.ts'
import { decodeHeader } from '../codec/ethereum/header.ts'
import { decodeEntries } from '../codec/ethereum/list.ts'
import { type Signer, recoverSigner } from '../codec/ethereum/sender.ts'
import { decodeTransaction } from '../codec/ethereum/transaction.ts'

/** Bytes read from the start of the file, and transactions recovered: results wait in the memory of the chain thread. */
const aheadBytesMax = 4 * 1024 * 1024
const signersMax = 4096

/**
 * Sends the signers (`Signer[]`) of each block above `lastNumber` to `port`. Ends early once `isDone` returns true. Closes the port;
 * never rejects.
 */
export async function recoverAhead(
  path: string,
  { lastNumber, port, isDone }: { lastNumber: bigint; port: MessagePort; isDone: () => boolean },
): Promise<void> {
  let remaining = signersMax
  try {
    for (const block of splitBlocks(await readStart(path))) {
      if (decodeHeader(block.header).number <= lastNumber) continue
      const entries = decodeEntries(block.transactions).slice(0, remaining)
      remaining -= entries.length
      const signers: Signer[] = entries.map((raw) => recoverSigner(decodeTransaction(raw)))
      if (signers.length > 0) port.postMessage(signers)
      await setImmediate()
      if (remaining === 0 || isDone()) break
    }
  } catch {
    // Either the last block is cut off at `aheadBytesMax`, or the file is invalid, which the chain thread reports.
  } finally {
    port.close()
  }
}

async function readStart(path: string): Promise<Uint8Array> {
  await using file = await open(path)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(aheadBytesMax), 0, aheadBytesMax, 0)
  return buffer.subarray(0, bytesRead)
}
