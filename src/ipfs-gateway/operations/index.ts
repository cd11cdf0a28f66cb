// The operations for requests to `/ipfs/<cid>` and `/ipns/<name>`.
// Tested by src/ipfs-gateway/ipfs-gateway.test.ts
import { pathCar } from './path_car.ts'
import { pathContent } from './path_content.ts'
import { pathRaw } from './path_raw.ts'
import { pathRecord } from './path_record.ts'
import { pathTar } from './path_tar.ts'

/** By the requested format. */
export const pathOperations = {
  raw: pathRaw,
  car: pathCar,
  tar: pathTar,
  content: pathContent,
  record: pathRecord,
}
