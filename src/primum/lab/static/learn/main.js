// The widgets of the article.
import "./good.js";
import "./regret.js";
import "./duel.js";
import "./patients.js";
import "./stuck.js";
import "./floor.js";
import "./analysis.js";
