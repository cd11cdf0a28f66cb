// Field of an optional limit: empty is no limit, 0 allows nothing.
// Tested by test/browser/forms.test.ts
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ApiError } from '../../app/api.ts'
import { TextField } from '../../ui/field.tsx'

const expected = 'Enter a whole number of at least 0, or leave the field empty for no limit.'

export function LimitField({
  title,
  hint,
  value,
  unit = 1,
  error,
  onValue,
}: {
  readonly title: string
  readonly hint?: ComponentChildren
  /** NaN: the typed text is not a number. */
  readonly value: number | null
  /** Unit of the field: 1048576 shows MiB. */
  readonly unit?: number
  readonly error?: string | null
  onValue(value: number | null): void
}) {
  // Keeps the typed text, even if invalid: a field of type number would report a typing mistake as empty, which means no limit.
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

/** Throws ApiError for the first NaN, which JSON would turn into null, no limit. */
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
