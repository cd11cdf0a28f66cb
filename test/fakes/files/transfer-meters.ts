// Transfer meters for tests, without transferred or stored bytes by default.
import {
  type TransferMeterDeps,
  type TransferMeters,
  createTransferMeters,
} from '../../../src/access/limits/transfer-meters.ts'
import { createTurnedClock } from '../turned-clock.ts'

export function createTestMeters(over: Partial<TransferMeterDeps> = {}): TransferMeters {
  return createTransferMeters({
    clock: createTurnedClock(),
    transferred: () => ({ up: 0, down: 0 }),
    keysOf: () => [],
    storedBytes: () => 0,
    reservedBytes: () => 0,
    uploadsPerKeyMax: () => 16,
    ...over,
  })
}
