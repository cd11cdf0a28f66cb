// A limit that may be absent: an empty field is no limit, 0 is nothing at all.
// Tested by test/browser/forms.test.ts
import { useState } from 'preact/hooks'
import { ApiError } from '../../app/api.ts'
import { TextField } from '../../ui/field.tsx'

const expected = 'Expected a whole number from 0, or nothing for no limit.'

export function LimitField({
  title,
  hint,
  value,
  unit = 1,
  error,
  onValue,
}: {
  readonly title: string
  readonly hint?: string
  /** NaN: what was typed is no number. */
  readonly value: number | null
  /** What the field counts in: 1048576 shows MiB. */
  readonly unit?: number
  readonly error?: string | null
  onValue(value: number | null): void
}) {
  // What is typed stays as it is, whatever it comes to: a browser's own field of numbers shows nothing of a typing mistake,
  // and nothing is no limit.
  const [typed, setTyped] = useState('')
  const shown = value === null ? '' : String(value / unit)
  return (
    <TextField
      title={title}
      hint={hint}
      error={error === null || error === undefined ? null : expected}
      inputMode="numeric"
      placeholder="no limit"
      autocomplete="off"
      value={Object.is(limitOf(typed, unit), value) ? typed : shown}
      onValue={(text) => {
        setTyped(text)
        onValue(limitOf(text, unit))
      }}
    />
  )
}

/** Throws ApiError at the first that is no number, which JSON would make no limit of. */
export function checkLimits(settings: Readonly<Record<string, unknown>>): void {
  const wrong = Object.keys(settings).find((name) => Number.isNaN(settings[name]))
  if (wrong === undefined) return
  throw new ApiError('bad_input', expected, 400, { field: `settings.${wrong}` })
}

function limitOf(text: string, unit: number): number | null {
  const tidy = text.trim()
  if (tidy === '') return null
  const count = /^-?\d+(\.\d+)?$/.test(tidy) ? Number(tidy) : Number.NaN
  return unit === 1 ? count : Math.round(count * unit)
}
