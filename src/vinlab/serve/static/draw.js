// Drawing: maps, fields of numbers, paths and arrows.
export const MOVES = [[-1, 0], [1, 0], [0, 1], [0, -1], [-1, 1], [-1, -1], [1, 1], [1, -1]];
// The colours of all figures: the network vermilion, the shortest path sky blue, the goal purple, the start white.
const WALL = "#39444d", START = "#ffffff", GOAL = "#cc79a7", LEARNED = "#d55e00", EXACT = "#56b4e9", CURSOR = "#009e73", STEEP = "rgba(230,159,0,0.4)";
// Cividis: its order is the same for every kind of colour vision.
const UNKNOWN = [226, 230, 233];
const RAMP = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

const ramp = Array.from({ length: 256 }, (_, shade) => {
  const place = (shade / 255) * (RAMP.length - 1), first = Math.min(Math.floor(place), RAMP.length - 2);
  return RAMP[first].map((from, i) => Math.round(from + (RAMP[first + 1][i] - from) * (place - first)));
});

function prepare(canvas, world) {
  const width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
  const cell = width / world.width, height = Math.round(cell * world.height);
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, width, height);
  return [pen, cell];
}

function each(world, draw) {
  for (let row = 0; row < world.height; row++)
    for (let col = 0; col < world.width; col++) draw(row, col, row * world.width + col);
}

export function drawMap(canvas, world, plan, { cursor = null, image = null } = {}) {
  const [pen, cell] = prepare(canvas, world);
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  if (image) pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  const walls = new Path2D();
  each(world, (row, col, i) => { if (world.cells[i]) walls.rect(col * cell, row * cell, cell + 0.5, cell + 0.5); });
  pen.fillStyle = image ? STEEP : WALL;
  pen.fill(walls);
  if (cell > 7 && !image) grid(pen, world, cell);
  if (plan) {
    if (plan.optimal !== null && world.slopes_known) path(pen, plan.exact, cell, EXACT, 0.42);
    path(pen, plan.path, cell, LEARNED, 0.16);
    if (!plan.reached) cross(pen, plan.path[plan.path.length - 1], cell);
  }
  dot(pen, world.start, cell);
  star(pen, world.goal, cell);
  if (cursor) {
    pen.strokeStyle = CURSOR;
    pen.lineWidth = Math.max(2, cell * 0.12);
    pen.strokeRect(cursor[1] * cell, cursor[0] * cell, cell, cell);
  }
}

// Cells with a shade below the least one are not known yet.
export function drawField(canvas, world, shades, { hideWalls = false, moves = null, over = null, least = 0 } = {}) {
  const [pen, cell] = prepare(canvas, world);
  pen.imageSmoothingEnabled = false;
  if (over) pen.drawImage(over, 0, 0, canvas.width, canvas.height);
  pen.globalAlpha = over ? 0.6 : 1;
  pen.drawImage(fieldImage(world, shades, hideWalls && !world.image, least), 0, 0, canvas.width, canvas.height);
  pen.globalAlpha = 1;
  if (moves && cell > 9) arrows(pen, world, shades, moves, cell, least);
  star(pen, world.goal, cell);
}

// One pixel a cell; the browser enlarges it far faster than cells can be painted one by one.
const small = document.createElement("canvas");

function fieldImage(world, shades, hideWalls, least) {
  [small.width, small.height] = [world.width, world.height];
  const pen = small.getContext("2d"), pixels = pen.createImageData(world.width, world.height);
  for (let i = 0; i < shades.length; i++) {
    const [red, green, blue] = hideWalls && world.cells[i] ? [57, 68, 77] : shades[i] < least ? UNKNOWN : ramp[shades[i]];
    pixels.data.set([red, green, blue, 255], 4 * i);
  }
  pen.putImageData(pixels, 0, 0);
  return small;
}

// Grey has one channel, colour three.
export function pictureImage(values, width, channels) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, values.length / channels / width];
  const pen = canvas.getContext("2d"), whole = pen.createImageData(canvas.width, canvas.height);
  for (let i = 0, at = 0; at < values.length; i++, at += channels) whole.data.set([values[at], values[at + (channels > 1)], values[at + 2 * (channels > 1)], 255], 4 * i);
  pen.putImageData(whole, 0, 0);
  return canvas;
}

// A small map of obstacles, one pixel a cell, for a link to it.
export function drawThumbnail(canvas, world) {
  [canvas.width, canvas.height] = [world.width, world.height];
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, world.width, world.height);
  pen.fillStyle = WALL;
  each(world, (row, col, i) => { if (world.cells[i] === "1") pen.fillRect(col, row, 1, 1); });
}

// All arrows of one colour are one path.
function arrows(pen, world, shades, moves, cell, least) {
  const dark = new Path2D(), light = new Path2D(), goal = world.goal[0] * world.width + world.goal[1];
  each(world, (row, col, i) => {
    if ((world.image || !world.cells[i]) && i !== goal && shades[i] >= least) arrow(shades[i] > 140 ? dark : light, row, col, MOVES[moves[i]], cell);
  });
  pen.lineWidth = Math.max(1, cell * 0.07);
  pen.strokeStyle = "rgba(0,0,0,0.65)";
  pen.stroke(dark);
  pen.strokeStyle = "rgba(255,255,255,0.75)";
  pen.stroke(light);
}

function arrow(path, row, col, [down, right], cell) {
  const [x, y] = middle([row, col], cell), length = Math.hypot(down, right), r = cell * 0.32;
  const dx = (right / length) * r, dy = (down / length) * r;
  path.moveTo(x - dx, y - dy);
  path.lineTo(x + dx, y + dy);
  path.lineTo(x + dx * 0.3 - dy * 0.5, y + dy * 0.3 + dx * 0.5);
  path.moveTo(x + dx, y + dy);
  path.lineTo(x + dx * 0.3 + dy * 0.5, y + dy * 0.3 - dx * 0.5);
}

function grid(pen, world, cell) {
  pen.strokeStyle = "rgba(0,0,0,0.07)";
  pen.lineWidth = 1;
  pen.beginPath();
  for (let row = 1; row < world.height; row++) { pen.moveTo(0, row * cell); pen.lineTo(world.width * cell, row * cell); }
  for (let col = 1; col < world.width; col++) { pen.moveTo(col * cell, 0); pen.lineTo(col * cell, world.height * cell); }
  pen.stroke();
}

const middle = ([row, col], cell) => [(col + 0.5) * cell, (row + 0.5) * cell];

function path(pen, cells, cell, colour, width) {
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = Math.max(2, cell * width);
  pen.lineCap = pen.lineJoin = "round";
  pen.beginPath();
  for (const place of cells) pen.lineTo(...middle(place, cell));
  pen.stroke();
  pen.restore();
}

function cross(pen, place, cell) {
  const [x, y] = middle(place, cell), r = Math.max(4, cell * 0.4);
  pen.strokeStyle = LEARNED;
  pen.lineWidth = Math.max(2, cell * 0.18);
  pen.beginPath();
  pen.moveTo(x - r, y - r); pen.lineTo(x + r, y + r);
  pen.moveTo(x + r, y - r); pen.lineTo(x - r, y + r);
  pen.stroke();
}

function dot(pen, place, cell) {
  pen.fillStyle = START;
  pen.strokeStyle = "#262626";
  pen.lineWidth = Math.max(1, cell * 0.08);
  pen.beginPath();
  pen.arc(...middle(place, cell), Math.max(4, cell * 0.4), 0, 7);
  pen.fill();
  pen.stroke();
}

function star(pen, place, cell) {
  const [x, y] = middle(place, cell), r = Math.max(6, cell * 0.55);
  pen.fillStyle = GOAL;
  pen.strokeStyle = "#262626";
  pen.lineWidth = Math.max(1, cell * 0.08);
  pen.beginPath();
  for (let i = 0; i < 10; i++) {
    const angle = -Math.PI / 2 + i * Math.PI / 5, length = i % 2 ? r * 0.45 : r;
    pen.lineTo(x + length * Math.cos(angle), y + length * Math.sin(angle));
  }
  pen.closePath();
  pen.fill();
  pen.stroke();
}
