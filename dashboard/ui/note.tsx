// Notes (remark, success, warning, error), loading and empty states.
import type { ComponentChildren } from 'preact'
import type { ApiError } from '../app/api.ts'
import type { Loaded } from '../app/use-loaded.ts'

export function Note({
  tone = 'plain',
  children,
}: {
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad'
  readonly children: ComponentChildren
}) {
  return (
    <div class={`note ${tone}`} {...(tone === 'bad' ? { role: 'alert' as const } : {})}>
      {children}
    </div>
  )
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <div class="spinner" />
      <span class="unseen">Loading</span>
    </div>
  )
}

/** Error of a request, with a button to try again. */
export function Problem({ error, again }: { readonly error: ApiError; again?(): void }) {
  return (
    <Note tone="bad">
      <p>{error.message}</p>
      {again !== undefined && (
        <button class="button small" type="button" onClick={again}>
          Try again
        </button>
      )}
    </Note>
  )
}

/** Shows the loaded value, the loading state or the error. */
export function Show<Value>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<Value>
  readonly children: (value: Value) => ComponentChildren
}) {
  const { value, error, again } = loaded
  if (value === undefined)
    return error === null ? <Loading /> : <Problem error={error} again={again} />
  return (
    <>
      {error !== null && <Problem error={error} again={again} />}
      {children(value)}
    </>
  )
}

export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}) {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  )
}
