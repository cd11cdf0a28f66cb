// Transfer meters of one process for tests, by default without transferred or stored bytes.
import assert from 'node:assert/strict'
import {
  type FileRequest,
  type QuotaHolder,
  type TransferMeter,
  type TransferMeterDeps,
  createTransferMeters,
} from '../../../src/access/limits/transfer-meters.ts'
import { createManualClock } from '../manual-clock.ts'

/** `open` is synchronous. */
export type TestMeters = { open(holder: QuotaHolder, request: FileRequest): TransferMeter }

export function createTestMeters(over: Partial<TransferMeterDeps> = {}): TestMeters {
  const meters = createTransferMeters({
    clock: createManualClock(),
    transferred: () => ({ up: 0, down: 0 }),
    keysOf: () => [],
    storedBytes: () => 0,
    reservedBytes: () => 0,
    uploadsPerKeyMax: () => 16,
    ...over,
  })
  return {
    open(holder, request) {
      const meter = meters.open(holder, request)
      assert.ok(!(meter instanceof Promise))
      return meter
    },
  }
}
