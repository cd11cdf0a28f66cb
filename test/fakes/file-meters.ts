// Meters of file requests for tests: nothing was moved or stored yet unless said so.
import {
  createFileMeters,
  type FileMeterParts,
  type FileMeters,
} from '../../src/limits/file-meters.ts'
import { createTurnedClock } from './turned-clock.ts'

export function createTestMeters(over: Partial<FileMeterParts> = {}): FileMeters {
  return createFileMeters({
    clock: createTurnedClock(),
    transferred: () => ({ up: 0, down: 0 }),
    keysOf: () => [],
    storedBytes: () => 0,
    reservedBytes: () => 0,
    uploadsPerKeyMax: () => 16,
    ...over,
  })
}
