// The page: a world that people edit; every change is planned again.
import { drawField, drawMap, drawThumbnail, pictureImage } from "/draw.js";

const $ = (id) => document.getElementById(id);
const world = { height: 28, width: 28, cells: new Uint8Array(784), start: [3, 3], goal: [24, 24], image: null, seed: null, slopes_known: true, turn: 0 };
let image = null; // of the terrain, for models that take one
let models = [], gallery = [], plan = null, backups = null, radius = null, cursor = null, playing = null, planning = false, stale = false, plans = 0;
let edited = false; // whether the map holds something that a person drew
let asking = 0; // worlds and files that the server is reading
let worldTurn = 0; // counts the worlds that were asked for, so that of several clicks the last one counts
const past = []; // worlds before the last changes, for Undo

// --- requests; of many changes only the latest is planned ---

async function ask(path, body) {
  const answer = await fetch(path, { method: "POST", body });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

const unpack = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

async function replan() {
  stale = true;
  if (planning) return;
  planning = true;
  showBusy();
  try {
    while (stale) {
      stale = false;
      await planOnce();
    }
  } finally {
    planning = false;
    showBusy();
  }
  remember();
}

// A world from the server; until it is there the page says that it works.
async function askWorld(path, body) {
  asking += 1;
  showBusy();
  try { return await ask(path, body); } finally { asking -= 1; showBusy(); }
}

// The answer belongs to the world of its question; where another world was set meanwhile, it is dropped.
async function planOnce() {
  const asked = { ...world, cells: world.cells.slice() };
  try {
    const found = await ask("/api/plan", JSON.stringify({
      model: $("model").value, height: asked.height, width: asked.width, cells: asked.cells.join(""),
      start: asked.start, goal: asked.goal, iterations: backups, corner_cutting: $("corners").checked,
      ...(asked.image && { image: asked.image }),
    }));
    if (asked.turn !== world.turn) return;
    found.shades = { reward: unpack(found.reward.shades), value: unpack(found.value.shades), moves: unpack(found.moves) };
    plan = found;
    document.documentElement.dataset.plans = ++plans;
    if ($("message").dataset.kind === "plan-error") say("");
  } catch (error) {
    if (asked.turn !== world.turn) return;
    plan = null;
    say(error instanceof TypeError ? "No response from the server; is it still running?" : error.message, "plan-error");
  }
  show();
}

function showBusy() {
  const yes = planning || asking > 0;
  document.documentElement.dataset.planning = yes;
  if (yes && !plan) showNothing("planning …");
}

// --- showing ---

const number = (amount) => amount.toPrecision(3);

function say(sentence, kind = "note") {
  $("message").textContent = sentence;
  $("message").dataset.kind = kind;
}

function showNothing(verdict) {
  $("verdict").textContent = verdict;
  for (const id of ["cost", "optimal", "time"]) $(id).textContent = "–";
}

function show() {
  drawMap($("map"), world, plan, { cursor: document.activeElement === $("map") ? cursor : null, image });
  if (!plan) return showNothing(planning ? "planning …" : "No plan.");
  drawField($("reward"), world, plan.shades.reward, { over: image });
  drawField($("value"), world, plan.shades.value, { hideWalls: true, moves: plan.shades.moves, least: searches() ? 255 - (radius ?? 255) : 0 });
  for (const field of ["reward", "value"])
    for (const [end, sign, beyond] of [["low", "≤", "below"], ["high", "≥", "above"]])
      $(`${field}-${end}`).textContent = `${plan[field][beyond] ? `${sign} ` : ""}${number(plan[field][end])}`;
  showDepth();
  $("verdict").textContent = verdict();
  $("cost").textContent = plan.reached ? plan.cost.toFixed(2) : `stops after ${plan.path.length - 1} steps`;
  $("optimal").textContent = !world.slopes_known ? "unknown" : plan.optimal === null ? "no path exists" : plan.optimal.toFixed(2);
  $("time").textContent = `${plan.milliseconds.toFixed(1)} ms`;
}

// K for planners that unroll their backups; for a search, the radius around the goal that is known.
function showDepth() {
  const known = radius ?? 255, reach = (plan.value.high - plan.value.low) * known / 255;
  $("k").max = searches() ? 255 : Math.max(2 * trained(), plan.iterations);
  $("k").value = searches() ? known : plan.iterations;
  $("k-shown").textContent = searches() ? number(reach) : plan.iterations;
  $("k-name").textContent = searches() ? "Known within cost" : "Backups K =";
  $("k-auto").textContent = searches() ? "all" : "as trained";
  $("value-about").textContent = searches() ? "in the order of search, and the moves" : "after K backups, and the moves";
}

function verdict() {
  if (!world.slopes_known) return "Planned from the image only; slopes unknown.";
  if (plan.optimal === null) return "No path to the goal exists.";
  if (!plan.reached) return "✗ Goal not reached.";
  const gap = plan.cost / plan.optimal - 1;
  return gap < 1e-6 || plan.optimal === 0 ? "✓ Goal reached by a shortest path." : `✓ Goal reached; the path is ${(100 * gap).toFixed(1)} % longer than the shortest.`;
}

const chosen = () => models.find((one) => one.id === $("model").value);
const searches = () => chosen().iterations === null;

// A planner for any map goes with the rule for corners that it was trained with.
function matchRule() {
  const fits = (one) => one.any_map && one.corner_cutting === $("corners").checked;
  if (chosen().any_map && !fits(chosen())) $("model").value = models.find(fits)?.id ?? chosen().id;
}

function trained() {
  const model = chosen();
  return Math.max(1, Math.ceil(model.iterations * Math.max(world.height, world.width) / model.size));
}

// --- changing the world ---

const same = (a, b) => a[0] === b[0] && a[1] === b[1];
const at = ([row, col]) => row * world.width + col;

// A new world; the one before can be brought back, so nothing that was drawn is lost.
function setWorld(found, { keep = true, drawn = false } = {}) {
  if (keep) keepWorld();
  say(""); // what was said is about another world
  plan = null;
  edited = drawn;
  world.turn += 1;
  worldTurn += 1;
  stroke = null;
  Object.assign(world, { height: found.height, width: found.width, start: found.start, goal: found.goal });
  Object.assign(world, { image: found.image ?? null, seed: found.seed ?? null, asked: found.asked ?? null, slopes_known: found.slopes_known ?? true, channels: found.channels ?? 1 });
  world.sight = sightOf(chosen());
  image = world.image && pictureImage(unpack(world.image), world.width * chosen().pixels, world.channels);
  world.cells = Uint8Array.from(found.cells, Number);
  if (found.corner_cutting !== undefined) { $("corners").checked = found.corner_cutting; matchRule(); }
  updateControls();
  showSize();
  backups = radius = cursor = null;
  stop();
  show();
  replan();
}

// A map of another shape has an entry of its own; a new world then gets its longer side.
const otherSize = new Option();

function showSize() {
  const { height, width } = world, side = String(world.asked ?? (height === width ? height : ""));
  otherSize.remove();
  if ([...$("size").options].some((one) => one.value === side)) { $("size").value = side; return; }
  [otherSize.value, otherSize.textContent] = [Math.max(height, width), `${height} × ${width}`];
  $("size").add(otherSize);
  otherSize.selected = true;
}

function keepWorld() {
  if (world.turn === 0) return; // the world before the first one is nobody's
  past.push({ ...world, cells: world.cells.slice(), model: $("model").value, edited });
  if (past.length > 100) past.shift();
  $("undo").disabled = false;
}

function undo() {
  const before = past.pop();
  $("undo").disabled = !past.length;
  if (!before) return;
  $("model").value = before.model;
  setWorld(before, { keep: false, drawn: before.edited });
}

async function newWorld(kind) {
  const side = Number($("size").value), seed = Math.floor(Math.random() * 2 ** 32);
  await makeWorld({ kind: takesImages() ? "terrain" : kind, height: side, width: side, seed, model: chosen().id });
}

async function makeWorld(wanted, ends = {}) {
  const turn = ++worldTurn;
  try {
    const found = await askWorld("/api/world", JSON.stringify(wanted));
    if (turn === worldTurn) setWorld({ ...found, seed: wanted.seed, asked: wanted.height, ...ends }); // a maze may be a cell smaller
  } catch (error) { say(error.message, "error"); }
}

const takesImages = () => Boolean(chosen().pixels); // of terrain, instead of maps of obstacles
const sightOf = (model) => `${model.pixels} ${model.ground}`; // models of one sight see the same images

function updateControls() {
  for (const id of ["maze", "clear"]) $(id).disabled = takesImages();
  $("hint").dataset.images = takesImages();
}

async function modelChanged() {
  backups = radius = null;
  if (chosen().any_map) $("corners").checked = chosen().corner_cutting;
  if (world.image ? world.sight === sightOf(chosen()) : !takesImages()) return replan();
  if (takesImages()) $("size").value = 16;
  const drawn = edited;
  await newWorld("obstacles");
  if (drawn) say("This model needs another kind of world; Undo brings back yours.");
}

// A drawing is cut or continued with free cells; a world that nobody has drawn on is made anew.
function sizeChanged() {
  if (!edited || world.image) return newWorld("obstacles");
  const side = Number($("size").value), cells = new Uint8Array(side * side);
  for (let row = 0; row < Math.min(side, world.height); row++)
    for (let col = 0; col < Math.min(side, world.width); col++) cells[row * side + col] = world.cells[at([row, col])];
  const [start, goal] = [world.start, world.goal].map((cell) => cell.map((place) => Math.min(place, side - 1)));
  for (const cell of [start, goal]) cells[cell[0] * side + cell[1]] = 0;
  setWorld({ height: side, width: side, cells, start, goal }, { drawn: true });
}

function emptyWorld() {
  const side = Number($("size").value);
  setWorld({ height: side, width: side, cells: "0".repeat(side * side), start: [1, 1], goal: [side - 2, side - 2] });
}

function paint(cell, wall) {
  if (world.image) return say("Terrain cannot be edited: drag the start and the goal.", "error");
  if (same(cell, world.start) || same(cell, world.goal) || world.cells[at(cell)] === wall) return;
  begin();
  world.cells[at(cell)] = wall;
  changed();
}

function put(which, cell) {
  const other = which === "start" ? world.goal : world.start;
  if (world.cells[at(cell)] || same(cell, other) || same(cell, world[which])) return;
  begin();
  world[which] = cell;
  changed();
}

// One stroke of the pointer, or one key, is one step for Undo.
function begin() {
  if (stroke !== null && strokeKept) return;
  keepWorld();
  strokeKept = true;
}

function changed() {
  edited = true;
  if (planning) drawMap($("map"), world, null, { image }); // the change is shown at once, the plan follows
  replan();
}

// --- mouse, finger and keys on the map ---

function cellAt(event) {
  const box = $("map").getBoundingClientRect();
  const row = Math.floor(((event.clientY - box.top) / box.height) * world.height);
  const col = Math.floor(((event.clientX - box.left) / box.width) * world.width);
  return [Math.min(Math.max(row, 0), world.height - 1), Math.min(Math.max(col, 0), world.width - 1)];
}

let stroke = null, last = null, strokeKept = false;

$("map").addEventListener("pointerdown", (event) => {
  $("map").setPointerCapture(event.pointerId);
  const cell = cellAt(event);
  strokeKept = false;
  if (same(cell, world.start)) stroke = "start";
  else if (same(cell, world.goal)) stroke = "goal";
  else { stroke = world.cells[at(cell)] ? 0 : 1; paint(cell, stroke); }
  last = cell;
});
$("map").addEventListener("pointermove", (event) => {
  if (stroke === null || last[0] >= world.height || last[1] >= world.width) return;
  const cell = cellAt(event);
  if (typeof stroke === "string") put(stroke, cell);
  else for (const passed of between(last, cell)) paint(passed, stroke);
  last = cell;
});
for (const end of ["pointerup", "pointercancel"]) $("map").addEventListener(end, () => { stroke = null; });

function between([r0, c0], [r1, c1]) {
  const steps = Math.max(Math.abs(r1 - r0), Math.abs(c1 - c0), 1);
  return Array.from({ length: steps + 1 }, (_, i) => [Math.round(r0 + ((r1 - r0) * i) / steps), Math.round(c0 + ((c1 - c0) * i) / steps)]);
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

$("map").addEventListener("keydown", (event) => {
  cursor ??= [...world.start];
  const key = event.key.toLowerCase();
  if (event.key in ARROWS) {
    const [down, right] = ARROWS[event.key];
    cursor = [Math.min(Math.max(cursor[0] + down, 0), world.height - 1), Math.min(Math.max(cursor[1] + right, 0), world.width - 1)];
    show();
  } else if (event.key === " ") paint(cursor, world.cells[at(cursor)] ? 0 : 1);
  else if (key === "s") put("start", cursor);
  else if (key === "g") put("goal", cursor);
  else return;
  event.preventDefault();
});
$("map").addEventListener("blur", show);

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.target.matches("input[type=text]")) {
    event.preventDefault();
    return undo();
  }
  if (event.target.matches("select, input:not([type=range])") || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = { p: play, r: () => newWorld("obstacles"), m: () => newWorld("maze"), "+": () => setBackups(1), "-": () => setBackups(-1) };
  actions[event.key.toLowerCase()]?.();
});

// --- K, and watching the value spread ---

function setBackups(change) {
  if (searches()) return setRadius((radius ?? 255) + 8 * change);
  backups = Math.min(Math.max((plan?.iterations ?? trained()) + change, 1), 2000);
  replan();
}

function setRadius(wanted) {
  radius = Math.min(Math.max(wanted, 1), 255);
  show();
}

function stop() {
  clearInterval(playing);
  playing = null;
  label("▶ Play", "Play the backups");
}

function label(text, words) {
  $("play").textContent = text;
  $("play").setAttribute("aria-label", words);
}

function play() {
  if (playing !== null) return stop();
  if (searches()) return playSearch();
  const last = trained();
  backups = 1;
  label("❚❚ Pause", "Pause");
  replan();
  playing = setInterval(() => {
    if (planning) return;
    if (backups >= last) return stop();
    backups += 1;
    replan();
  }, 110);
}

function playSearch() {
  label("❚❚ Pause", "Pause");
  setRadius(1);
  playing = setInterval(() => (radius >= 255 ? stop() : setRadius(radius + 3)), 40);
}

$("play").addEventListener("click", play);
$("k").addEventListener("input", () => {
  stop();
  if (searches()) return setRadius(Number($("k").value));
  backups = Number($("k").value);
  replan();
});
$("k-auto").addEventListener("click", () => { stop(); backups = radius = null; replan(); });
$("model").addEventListener("change", modelChanged);
$("corners").addEventListener("change", () => { matchRule(); replan(); });
$("random").addEventListener("click", () => newWorld("obstacles"));
$("maze").addEventListener("click", () => newWorld("maze"));
$("clear").addEventListener("click", emptyWorld);
$("size").addEventListener("change", sizeChanged);
$("undo").addEventListener("click", undo);
$("share").addEventListener("click", async () => {
  remember();
  try { await navigator.clipboard.writeText(location.href); say("The link is copied."); } catch { say("The link is in the address bar."); }
});

// --- files ---

async function openFile(file) {
  if (!file) return;
  if (file.size > 2 * 2 ** 20) return say("The page reads files of at most 2 MB; the command vinlab plan reads larger ones.", "error");
  const turn = ++worldTurn;
  try {
    const reader = chosen().ground ? `/api/ground/${chosen().number}` : takesImages() ? "/api/terrain" : "/api/map";
    const found = await askWorld(reader, await file.arrayBuffer());
    if (turn !== worldTurn) return;
    setWorld(found, { drawn: true });
    say([`Opened ${file.name}.`, found.assumptions].filter(Boolean).join(" "));
  } catch (error) { say(error.message, "error"); }
}

$("file").addEventListener("change", async () => {
  await openFile($("file").files[0]);
  $("file").value = ""; // so that the same file can be opened again
});
addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
addEventListener("dragleave", () => document.body.classList.remove("dropping"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  openFile(event.dataTransfer.files[0]);
});

// --- the link holds the state ---

function remember() {
  const bits = new Uint8Array(Math.ceil(world.cells.length / 8));
  world.cells.forEach((wall, i) => { if (wall) bits[i >> 3] |= 1 << (i & 7); });
  const walls = btoa(String.fromCharCode(...bits)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const state = new URLSearchParams({
    model: $("model").value, size: `${world.height}x${world.width}`, start: world.start, goal: world.goal,
    k: backups ?? "", corners: $("corners").checked ? 1 : 0, ...(world.image ? { terrain: world.seed ?? "" } : { walls }),
  });
  history.replaceState(null, "", `#${state}`);
}

const cellIn = (state, name) => (state.get(name) ?? "").split(",").map(Number);

function recall() {
  const state = new URLSearchParams(location.hash.slice(1));
  if (state.has("map")) return openGallery(state.get("map"));
  const size = /^(\d{1,3})x(\d{1,3})$/.exec(state.get("size") ?? "");
  if (!size) return false;
  const [height, width] = [Number(size[1]), Number(size[2])];
  if (state.has("terrain")) return recallTerrain(state, height, width);
  const bits = unpack((state.get("walls") ?? "").replaceAll("-", "+").replaceAll("_", "/"));
  if (height < 1 || width < 1 || height > 256 || width > 256 || bits.length < height * width / 8) return false;
  const [start, goal] = [cellIn(state, "start"), cellIn(state, "goal")];
  const inside = ([row, col]) => Number.isInteger(row) && Number.isInteger(col) && row >= 0 && col >= 0 && row < height && col < width;
  if (!inside(start) || !inside(goal)) return false;
  if (models.some((one) => one.id === state.get("model"))) $("model").value = state.get("model");
  const cells = Array.from({ length: height * width }, (_, i) => (bits[i >> 3] >> (i & 7)) & 1).join("");
  setWorld({ height, width, cells, start, goal, corner_cutting: state.get("corners") !== "0" });
  const k = Number(state.get("k"));
  if (Number.isInteger(k) && k >= 1 && k <= 2000) { backups = k; replan(); }
  return true;
}

// Synthetic terrain is generated again from its seed; a dropped image is not in the link.
function recallTerrain(state, height, width) {
  const model = models.find((one) => one.pixels && one.id === state.get("model")), seed = Number(state.get("terrain"));
  if (!model || state.get("terrain") === "" || !Number.isInteger(seed)) return false;
  $("model").value = model.id;
  const [start, goal] = [cellIn(state, "start"), cellIn(state, "goal")];
  makeWorld({ kind: "terrain", height, width, seed, model: model.id }, { start, goal });
  return true;
}

// --- the gallery ---

function openGallery(name) {
  const found = gallery.find((one) => one.name === name);
  if (!found) throw new Error(`The gallery has no map “${name.slice(0, 40)}”.`);
  if (takesImages()) $("model").value = models.find((one) => !one.pixels)?.id ?? chosen().id;
  if (takesImages()) throw new Error("The gallery holds maps, and the models of this page plan on images.");
  setWorld(found);
  say(`${found.about}: ${found.height} × ${found.width} cells.`);
  return true;
}

function showGallery() {
  for (const found of gallery) {
    const link = document.createElement("a"), picture = document.createElement("canvas"), words = document.createElement("span");
    link.href = `#map=${found.name}`;
    words.textContent = found.about;
    picture.setAttribute("aria-hidden", "true");
    drawThumbnail(picture, found);
    link.append(picture, words);
    $("gallery").querySelector("ul").appendChild(document.createElement("li")).append(link);
  }
}

// Show the world of the link; why there is none, null if there is, and nothing without a link.
function follow() {
  if (location.hash.length < 2) return "";
  try { return recall() ? null : "The link is damaged."; } catch (error) { return error instanceof DOMException ? "The link is damaged." : error.message; }
}

addEventListener("hashchange", () => {
  const fault = follow();
  if (fault) say(fault, "error");
});
addEventListener("resize", show);

const fetched = async (path) => (await fetch(path)).json();
[{ models }, { maps: gallery }] = await Promise.all([fetched("/api/models"), fetched("/api/gallery")]);
showGallery();
for (const model of models) {
  const depth = model.iterations === null ? "K = ∞" : `K = ${model.iterations} at side ${model.size}`;
  $("model").add(new Option(`${model.id} (${depth})`, model.id));
}
const fault = follow();
if (fault !== null) await newWorld("obstacles");
if (fault) say(`${fault} A random world is shown instead.`, "error");
