// Checks pages for covered text.

/** Script that returns the texts of cells that are covered by the buttons of their row. */
export const covered = `[...document.querySelectorAll('td.actions')].flatMap((actions) => {
  const own = actions.getBoundingClientRect()
  return [...actions.parentElement.children].filter((cell) => {
    const range = document.createRange()
    range.selectNodeContents(cell)
    const isUnder = (rect) =>
      rect.width > 0 && rect.right > own.left && rect.left < own.right && rect.bottom > own.top && rect.top < own.bottom
    return cell !== actions && [...range.getClientRects()].some(isUnder)
  }).map((cell) => cell.textContent)
})`
