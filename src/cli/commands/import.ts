// `cairn import`: imports content from other services and from files.
// Tested by test/cli/import-pins.test.ts, test/cli/import-car.test.ts
import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { defineImportCar } from '../import/cars.ts'
import { defineImportPins } from '../import/pins.ts'

export function defineImport(command: Command, context: Context): void {
  defineImportPins(command, context)
  defineImportCar(command, context)
}
