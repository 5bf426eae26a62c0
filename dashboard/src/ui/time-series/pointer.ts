/**
 * Tells a mouse that moves from one that rests while the page scrolls below it. Browsers report both alike: the position on the
 * screen is the same for the second.
 */
interface Place {
  readonly screenX: number;
  readonly screenY: number;
}

let last: Place | undefined;

// Heard after the handlers of the pages, which compare with the place before.
addEventListener('pointermove', ({ screenX, screenY }) => {
  last = { screenX, screenY };
});

export const isAtRest = ({ pointerType, screenX, screenY }: Place & { pointerType: string }) =>
  pointerType === 'mouse' && screenX === last?.screenX && screenY === last.screenY;
